# tests/python/NAME_test.py: the test python.NAME, by pytest. Without the module, a single test reports its absence. Included by cmake/tests.cmake.
set(needs_table pandas)
set(needs_search pandas)
set(needs_run pandas)
set(needs_documents pandas)
set(needs_page pandas)
set(needs_typing mypy)
set(needs_notebook nbconvert ipykernel pandas)
set(needs_wheel build setuptools wheel venv pandas)

function(python_test name python file)
  add_test(NAME python.${name} COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DPYTHON=${python} "-DNEEDS=pytest;${needs_${name}}" -DFILE=${file}
                                       -P ${PROJECT_SOURCE_DIR}/tests/python/run.cmake)
  set_tests_properties(python.${name} PROPERTIES LABELS slow TIMEOUT ${OPLEDGER_TEST_SECONDS} SKIP_REGULAR_EXPRESSION "skipped: ")
endfunction()

if(NOT TARGET opledger_python)
  python_test(module "" "")
  return()
endif()
file(GLOB tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/python/*_test.py)
foreach(test IN LISTS tests)
  cmake_path(GET test STEM name)
  string(REPLACE "_test" "" name ${name})
  python_test(${name} ${Python_EXECUTABLE} ${test})
endforeach()
set_tests_properties(python.wheel PROPERTIES RESOURCE_LOCK build)  # Like the test of Debian packages, it lets CMake check the build.
