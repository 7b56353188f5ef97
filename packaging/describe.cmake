# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The tool's manual pages and completions, made by a program that has the tool's own declarations
# of its options in it. Not where that program cannot run.
add_executable(upsweep_describe
  packaging/completions.cpp
  packaging/describe_tool.cpp
  packaging/man_pages.cpp
  packaging/tool_description.cpp)
target_include_directories(upsweep_describe PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(upsweep_describe PRIVATE upsweep_command_line)
upsweep_own_code(upsweep_describe)

set(pages_dir ${PROJECT_BINARY_DIR}/packaging)
add_custom_command(OUTPUT ${pages_dir}/made
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${pages_dir}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${pages_dir}
  COMMAND upsweep_describe ${pages_dir}
  COMMAND ${CMAKE_COMMAND} -E touch ${pages_dir}/made
  DEPENDS upsweep_describe
  VERBATIM)
add_custom_target(upsweep_pages ALL DEPENDS ${pages_dir}/made)

install(DIRECTORY ${pages_dir}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tool
  FILES_MATCHING PATTERN "*.1")
install(FILES ${pages_dir}/upsweep.bash RENAME upsweep
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT tool)
install(FILES ${pages_dir}/_upsweep
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT tool)
install(FILES ${pages_dir}/upsweep.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT tool)
