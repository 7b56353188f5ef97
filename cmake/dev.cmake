# Flags for the project's own code. They are PRIVATE: none of them reaches a consumer.
#
# Contraction is off because the bits are the contract: a compiler that fuses a * b + c changes
# them.
function(upsweep_own_code target)
  target_compile_options(${target} PRIVATE
    -ffp-contract=off -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wno-sign-conversion
    $<$<BOOL:${UPSWEEP_WERROR}>:-Werror>
    $<$<CONFIG:Release>:-O3>)
  if(UPSWEEP_SANITIZE)
    target_compile_options(${target} PRIVATE
      -fsanitize=${UPSWEEP_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${UPSWEEP_SANITIZE})
  endif()
endfunction()

# For sources whose time is the compiler's and never the user's, as those that read options are.
function(upsweep_quick_to_compile)
  set_source_files_properties(${ARGV} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
endfunction()
