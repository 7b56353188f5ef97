# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The subcommand lab. Included by cli/CMakeLists.txt.
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(muparser REQUIRED)
find_package(nlohmann_json REQUIRED)

add_library(upsweep_lab_command STATIC
  ${CMAKE_CURRENT_LIST_DIR}/device_file.cpp
  ${CMAKE_CURRENT_LIST_DIR}/lab_banks.cpp
  ${CMAKE_CURRENT_LIST_DIR}/lab_check.cpp
  ${CMAKE_CURRENT_LIST_DIR}/lab_command.cpp
  ${CMAKE_CURRENT_LIST_DIR}/lab_expression.cpp
  ${CMAKE_CURRENT_LIST_DIR}/lab_index.cpp
  ${CMAKE_CURRENT_LIST_DIR}/lab_lecture.cpp
  ${CMAKE_CURRENT_LIST_DIR}/lab_list.cpp
  ${CMAKE_CURRENT_LIST_DIR}/lab_measured.cpp
  ${CMAKE_CURRENT_LIST_DIR}/lab_model.cpp
  ${CMAKE_CURRENT_LIST_DIR}/lab_model_json.cpp
  ${CMAKE_CURRENT_LIST_DIR}/lab_model_text.cpp
  ${CMAKE_CURRENT_LIST_DIR}/lab_ops_concat.cpp
  ${CMAKE_CURRENT_LIST_DIR}/lab_ops_matrix.cpp
  ${CMAKE_CURRENT_LIST_DIR}/lab_ops_max.cpp
  ${CMAKE_CURRENT_LIST_DIR}/lab_ops_min.cpp
  ${CMAKE_CURRENT_LIST_DIR}/lab_ops_prod.cpp
  ${CMAKE_CURRENT_LIST_DIR}/lab_ops_sum.cpp
  ${CMAKE_CURRENT_LIST_DIR}/lab_page.cpp
  ${CMAKE_CURRENT_LIST_DIR}/lab_pitfalls.cpp
  ${CMAKE_CURRENT_LIST_DIR}/lab_plan.cpp
  ${CMAKE_CURRENT_LIST_DIR}/lab_run.cpp
  ${CMAKE_CURRENT_LIST_DIR}/lab_session.cpp
  ${CMAKE_CURRENT_LIST_DIR}/lab_syntax.cpp
  ${CMAKE_CURRENT_LIST_DIR}/lab_trace.cpp
  ${CMAKE_CURRENT_LIST_DIR}/model_devices.cpp)
foreach(name device_file lab_banks lab_command lab_lecture lab_list lab_model)
  upsweep_quick_to_compile(${CMAKE_CURRENT_LIST_DIR}/${name}.cpp)
endforeach()

# The devices of upsweep lab model are compiled in.
file(READ ${CMAKE_CURRENT_LIST_DIR}/devices.json devices_json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/devices.json)
configure_file(${CMAKE_CURRENT_LIST_DIR}/model_devices_text.hpp.in
  ${PROJECT_BINARY_DIR}/generated/cli/model_devices_text.hpp @ONLY)
if(UPSWEEP_HAS_CUDA)
  add_library(upsweep_lab_gpu STATIC ${CMAKE_CURRENT_LIST_DIR}/lab_gpu.cu
    ${CMAKE_CURRENT_LIST_DIR}/lab_model_gpu.cu ${PROJECT_SOURCE_DIR}/lab/gpu/measure_device.cu)
  target_include_directories(upsweep_lab_gpu PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(upsweep_lab_gpu PRIVATE upsweep_files upsweep_lab upsweep::upsweep)
  upsweep_own_cuda_code(upsweep_lab_gpu)
  target_link_libraries(upsweep_lab_command PRIVATE upsweep_lab_gpu CUDA::cudart_static)
else()
  target_sources(upsweep_lab_command PRIVATE ${CMAKE_CURRENT_LIST_DIR}/lab_gpu_none.cpp
    ${CMAKE_CURRENT_LIST_DIR}/lab_model_gpu_none.cpp)
endif()
target_include_directories(upsweep_lab_command PRIVATE
  ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
target_link_libraries(upsweep_lab_command PRIVATE
  upsweep_files upsweep_lab fmt::fmt CLI11::CLI11 nlohmann_json::nlohmann_json muparser::muparser)
upsweep_own_code(upsweep_lab_command)
