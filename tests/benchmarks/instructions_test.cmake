# What docs/performance.md says of instructions, held: they do not depend on what else the machine does. Of a program without sanitizers, built to be fast, on a processor with AVX2.
cmake_minimum_required(VERSION 3.25)
include(${SOURCE}/tests/tools.cmake)
find_tools(valgrind)

# NAME of scripts/count_instructions.sh, and the most that it may take: some percent more than it does.
set(most_eval 128000000)
set(most_calculon 1150000000)
set(most_standard 1950000000)
set(most_wide_no_orders 10000000000)
set(most_serving 1500000000)
set(most_serving_latent 3400000000)
set(names eval calculon standard wide_no_orders serving serving_latent)

execute_process(COMMAND ${SOURCE}/scripts/count_instructions.sh ${BUILD}/opledger ${names} OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
message("${output}")
foreach(name IN LISTS names)
  if(NOT output MATCHES "(^|\n)${name} [^\n]* ([1-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+) instructions")
    message(FATAL_ERROR "no count of ${name}")
  endif()
  if(CMAKE_MATCH_2 GREATER most_${name})
    message(FATAL_ERROR "${name}: ${CMAKE_MATCH_2} instructions, more than ${most_${name}}")
  endif()
endforeach()
