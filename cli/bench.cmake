# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The subcommand bench. Included by cli/CMakeLists.txt after its upsweep_files.
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(hwy REQUIRED)
find_package(TBB REQUIRED)

add_library(upsweep_bench_command STATIC
  ${CMAKE_CURRENT_LIST_DIR}/bench_baseline.cpp
  ${CMAKE_CURRENT_LIST_DIR}/bench_command.cpp
  ${CMAKE_CURRENT_LIST_DIR}/bench_copy.cpp
  ${CMAKE_CURRENT_LIST_DIR}/bench_engines.cpp
  ${CMAKE_CURRENT_LIST_DIR}/bench_json.cpp
  ${CMAKE_CURRENT_LIST_DIR}/bench_measure.cpp
  ${CMAKE_CURRENT_LIST_DIR}/bench_plan.cpp
  ${CMAKE_CURRENT_LIST_DIR}/bench_table.cpp
  ${CMAKE_CURRENT_LIST_DIR}/bench_types_affine.cpp
  ${CMAKE_CURRENT_LIST_DIR}/bench_types_float.cpp
  ${CMAKE_CURRENT_LIST_DIR}/bench_types_int.cpp
  ${CMAKE_CURRENT_LIST_DIR}/bench_types_long.cpp
  ${CMAKE_CURRENT_LIST_DIR}/bench_types_narrow.cpp
  ${CMAKE_CURRENT_LIST_DIR}/bench_workload.cpp)
upsweep_quick_to_compile(${CMAKE_CURRENT_LIST_DIR}/bench_command.cpp)
if(UPSWEEP_HAS_CUDA)
  # The scans that are measured, ours and CUB's, and a copy.
  add_library(upsweep_bench_device STATIC
    ${CMAKE_CURRENT_LIST_DIR}/bench_device_copy.cu
    ${CMAKE_CURRENT_LIST_DIR}/bench_device_cub.cu
    ${CMAKE_CURRENT_LIST_DIR}/bench_device_upsweep.cu)
  target_include_directories(upsweep_bench_device PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(upsweep_bench_device
    PRIVATE upsweep::upsweep)
  upsweep_own_cuda_code(upsweep_bench_device)
  target_sources(upsweep_bench_command PRIVATE ${CMAKE_CURRENT_LIST_DIR}/bench_device.cpp)
  target_link_libraries(upsweep_bench_command PRIVATE upsweep_bench_device CUDA::cudart_static)
else()
  target_sources(upsweep_bench_command PRIVATE ${CMAKE_CURRENT_LIST_DIR}/bench_device_none.cpp)
endif()
target_include_directories(upsweep_bench_command PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(upsweep_bench_command PRIVATE
  upsweep_files upsweep_report upsweep::upsweep TBB::tbb hwy::hwy fmt::fmt CLI11::CLI11 nlohmann_json::nlohmann_json)
upsweep_own_code(upsweep_bench_command)
