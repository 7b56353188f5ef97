# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Run by CPack between the installation of the components and the making of the packages: puts what
# Debian wants elsewhere, or compressed, where Debian wants it.
function(compress file to)
  # The time is left out of it, so that the same input gives the same package.
  find_program(gzip gzip REQUIRED)
  execute_process(COMMAND ${gzip} -9nc ${file} OUTPUT_FILE ${to} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(package library:libupsweep-dev tool:upsweep)
  string(REPLACE ":" ";" package ${package})
  list(GET package 0 component)
  list(GET package 1 name)
  set(share ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr/share)
  file(COPY ${CPACK_UPSWEEP_DOC_DIR}/${name}/copyright DESTINATION ${share}/doc/${name})
  compress(${CPACK_UPSWEEP_DOC_DIR}/${name}/changelog ${share}/doc/${name}/changelog.gz)
  file(GLOB pages ${share}/man/man1/*.1)
  foreach(page IN LISTS pages)
    compress(${page} ${page}.gz)
    file(REMOVE ${page})
  endforeach()
  if(EXISTS ${share}/zsh/site-functions)
    file(RENAME ${share}/zsh/site-functions ${share}/zsh/vendor-completions)
  endif()
endforeach()
