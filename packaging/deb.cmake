# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Two Debian packages by `cpack -G DEB`: libupsweep-dev, from the component library, and upsweep, from
# the component tool. The library in them is the static one.
set(UPSWEEP_DEB_MAINTAINER "The Upsweep authors <upsweep@example.org>" CACHE STRING
  "Who answers for the Debian packages")

set(CPACK_PACKAGE_NAME upsweep)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT ${UPSWEEP_DEB_MAINTAINER})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL library tool)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libupsweep-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "libtbb-dev, libhwy-dev")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS upsweep)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
"Scans of any type and operator, in C++20 and CUDA, for any vector unit, any
number of threads, and a GPU. This package has the headers and the static
library.")

set(CPACK_DEBIAN_TOOL_PACKAGE_NAME upsweep)
set(CPACK_DEBIAN_TOOL_PACKAGE_SECTION math)
set(CPACK_DEBIAN_TOOL_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_TOOL_DESCRIPTION
"Scans the numbers of a file, a NumPy array, text or raw: sums, products, minima
and others, along any axis. This package has the command.")

# What Debian wants of every package: its licence and its changes.
file(READ ${PROJECT_SOURCE_DIR}/LICENSE licence)
string(REGEX REPLACE ".*---- (LLVM Exceptions [^\n]*) ----\n+" "\\1\n\n" exceptions "${licence}")
string(STRIP "${exceptions}" exceptions)
string(REGEX REPLACE "\n\n+" "\n.\n" exceptions "${exceptions}")
string(REPLACE "\n" "\n " exceptions "${exceptions}")
string(TIMESTAMP deb_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(component library tool)
  string(TOUPPER ${component} upper)
  set(deb_package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(deb_doc_dir ${PROJECT_BINARY_DIR}/deb/${deb_package})
  configure_file(packaging/copyright.in ${deb_doc_dir}/copyright @ONLY)
  configure_file(packaging/changelog.in ${deb_doc_dir}/changelog @ONLY)
endforeach()
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/deb_files.cmake)
set(CPACK_UPSWEEP_DOC_DIR ${PROJECT_BINARY_DIR}/deb)
include(CPack)
