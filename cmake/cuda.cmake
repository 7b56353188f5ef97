# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sets UPSWEEP_HAS_CUDA and enables the language where UPSWEEP_CUDA is wanted and nvcc works. What
# runs on a GPU is compiled for CMAKE_CUDA_ARCHITECTURES, one architecture unless told otherwise.
set(UPSWEEP_HAS_CUDA OFF)
if(UPSWEEP_CUDA AND NOT UPSWEEP_SANITIZE)
  include(CheckLanguage)
  find_program(UPSWEEP_NVCC nvcc HINTS /usr/local/cuda/bin ENV CUDA_PATH PATH_SUFFIXES bin)
  if(UPSWEEP_NVCC AND NOT CMAKE_CUDA_COMPILER)
    set(CMAKE_CUDA_COMPILER ${UPSWEEP_NVCC})
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    if(NOT CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES 90)
    endif()
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    set(UPSWEEP_HAS_CUDA ON)
  else()
    message(STATUS "No working nvcc: the tool and the tests are built without CUDA")
  endif()
endif()

# The project's own code for nvcc. Contraction is off here too.
function(upsweep_own_cuda_code target)
  # CMake 3.25 does not know which standards this compiler has.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 -fmad=false
    -Xcompiler=-ffp-contract=off,-Wall,-Wextra>)
endfunction()
