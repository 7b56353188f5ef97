# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One installed tree, and what is made of it.
set(prefix ${CMAKE_CURRENT_BINARY_DIR}/installed)
package_test(install ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DPREFIX=${prefix}
  -P ${here}/install_and_move.cmake)
set_tests_properties(package_install PROPERTIES FIXTURES_SETUP upsweep_installed)

function(installed_test name)
  package_test(${name} ${ARGN})
  set_tests_properties(package_${name} PROPERTIES FIXTURES_REQUIRED upsweep_installed)
endfunction()

installed_test(installed ${UPSWEEP_PYTHON} -B ${here}/installed_test.py
  ${prefix} ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${CMAKE_CXX_COMPILER})

# Programs that use it, by each compiler.
function(consumers_test name compiler)
  installed_test(${name} ${CMAKE_CTEST_COMMAND}
    --build-and-test ${here}/consumers ${CMAKE_CURRENT_BINARY_DIR}/${name}
    --build-generator ${CMAKE_GENERATOR} --build-noclean
    --build-options
      -DCMAKE_CXX_COMPILER=${compiler}
      -DCMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER}
      -DCMAKE_PREFIX_PATH=${prefix}
    --test-command ${CMAKE_CTEST_COMMAND} --output-on-failure --no-tests=error)
endfunction()
consumers_test(consumers ${CMAKE_CXX_COMPILER})
if(UPSWEEP_CLANG)
  consumers_test(consumers_clang ${UPSWEEP_CLANG})
endif()

installed_test(components ${CMAKE_COMMAND} --fresh -S ${here}/components
  -B ${CMAKE_CURRENT_BINARY_DIR}/components ${consumer_options}
  -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -DCMAKE_PREFIX_PATH=${prefix})

installed_test(pages ${UPSWEEP_PYTHON} -B ${here}/pages_test.py ${prefix})

# The Debian packages.
find_program(UPSWEEP_DPKG_DEB dpkg-deb)
mark_as_advanced(UPSWEEP_DPKG_DEB)
if(UPSWEEP_DPKG_DEB AND NOT BUILD_SHARED_LIBS)
  package_test(deb ${UPSWEEP_PYTHON} -B ${here}/deb_test.py ${PROJECT_BINARY_DIR} ${CMAKE_CPACK_COMMAND})
endif()
