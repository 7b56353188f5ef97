# Compiles through ccache where it is found and works. The presets name this file in
# CMAKE_PROJECT_TOP_LEVEL_INCLUDES, so that it never runs inside a consumer's build.
if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(UPSWEEP_CCACHE ccache)
  mark_as_advanced(UPSWEEP_CCACHE)
  if(UPSWEEP_CCACHE)
    # It refuses every compilation where its cache cannot be written: ask it first.
    execute_process(COMMAND ${UPSWEEP_CCACHE} --show-stats
      RESULT_VARIABLE ccache_status OUTPUT_QUIET ERROR_QUIET)
    if(ccache_status EQUAL 0)
      set(CMAKE_CXX_COMPILER_LAUNCHER ${UPSWEEP_CCACHE})
    endif()
  endif()
endif()
