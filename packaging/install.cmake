# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What `cmake --install` puts where: the library for find_package and pkg-config (component
# library), and the tool with its page and its completions (component tool). Nothing that is
# installed names the place it was installed to, so that a tree of it can be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/upsweep)
set(package_build_dir ${PROJECT_BINARY_DIR}/package)

install(DIRECTORY include/upsweep DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
install(TARGETS upsweep EXPORT upsweepTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT upsweepTargets NAMESPACE upsweep:: DESTINATION ${package_dir} COMPONENT library)

# A static library leaves it to its users to find what it was linked with.
get_target_property(library_type upsweep TYPE)
string(COMPARE EQUAL "${library_type}" STATIC_LIBRARY upsweep_is_static)
configure_package_config_file(packaging/upsweepConfig.cmake.in
  ${package_build_dir}/upsweepConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${package_build_dir}/upsweepConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${package_build_dir}/upsweepConfig.cmake ${package_build_dir}/upsweepConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT library)

# Highway's own file for pkg-config would hand a macro on, so its library is named instead.
if(upsweep_is_static)
  set(pc_libraries "-lupsweep -lhwy")
  set(pc_requires "tbb")
else()
  set(pc_libraries "-lupsweep")
  set(pc_requires "")
endif()
file(RELATIVE_PATH pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
cmake_path(APPEND pc_libdir "\${prefix}" "${CMAKE_INSTALL_LIBDIR}")
cmake_path(APPEND pc_includedir "\${prefix}" "${CMAKE_INSTALL_INCLUDEDIR}")
configure_file(packaging/upsweep.pc.in ${package_build_dir}/upsweep.pc @ONLY)
install(FILES ${package_build_dir}/upsweep.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)

if(UPSWEEP_TOOL)
  install(TARGETS upsweep_tool EXPORT upsweepToolTargets
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tool)
  install(FILES cli/devices.json DESTINATION ${CMAKE_INSTALL_DATADIR}/upsweep COMPONENT tool)
  install(EXPORT upsweepToolTargets NAMESPACE upsweep:: DESTINATION ${package_dir} COMPONENT tool)
  if(NOT upsweep_is_static)
    file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
    set_target_properties(upsweep_tool PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
  endif()
endif()
if(UPSWEEP_TOOL AND NOT CMAKE_CROSSCOMPILING)
  include(packaging/describe.cmake)
endif()
if(PROJECT_IS_TOP_LEVEL AND UPSWEEP_TOOL AND upsweep_is_static AND NOT UPSWEEP_SANITIZE)
  include(packaging/deb.cmake)
endif()
