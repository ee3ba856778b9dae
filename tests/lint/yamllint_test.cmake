# The library of documents as yamllint wants it, by `.yamllint`.
cmake_minimum_required(VERSION 3.25)
include(${SOURCE}/tests/tools.cmake)
find_tools(yamllint)

file(WRITE ${BUILD}/tests/lint/bad.yaml "a: 1\na: 2\n")
execute_process(COMMAND ${yamllint_found} --strict -c ${SOURCE}/.yamllint bad.yaml WORKING_DIRECTORY ${BUILD}/tests/lint RESULT_VARIABLE status OUTPUT_QUIET)
if(status EQUAL 0)
  message(FATAL_ERROR "yamllint finds nothing")
endif()
execute_process(COMMAND ${yamllint_found} --strict . WORKING_DIRECTORY ${SOURCE} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "yamllint: ${output}")
endif()
