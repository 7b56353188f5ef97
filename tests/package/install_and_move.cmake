# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs BUILD to a new place and moves the tree to PREFIX, where everything has to work.
file(REMOVE_RECURSE ${PREFIX} ${PREFIX}.first)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX}.first
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${PREFIX}.first ${PREFIX})
