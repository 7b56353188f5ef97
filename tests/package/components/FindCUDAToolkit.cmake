# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Stands for the module of CMake of that name.
set(toolkit_searched ON)
set(CUDAToolkit_FOUND ${TOOLKIT})
if(TOOLKIT AND NOT TARGET CUDA::toolkit)
  add_library(CUDA::toolkit INTERFACE IMPORTED)
endif()
