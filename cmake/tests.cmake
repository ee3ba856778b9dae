# Tests that belong to no single folder: whole runs, the tree's structure, an installation, fuzz targets, benchmarks.

get_property(folders GLOBAL PROPERTY OPLEDGER_FOLDERS)

# tests/NAME for a NAME that is no folder of the tree sees the whole program.
file(GLOB others CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/tests/*/*_test.cc)
list(TRANSFORM others REPLACE "/.*" "")
list(REMOVE_DUPLICATES others)
list(REMOVE_ITEM others ${folders} structure)
foreach(name IN LISTS others)
  opledger_tests(${name} LINK opledger_cli)
endforeach()

# The longest tests start first, so that the run does not end with one of them alone.
if(OPLEDGER_TESTS AND NOT OPLEDGER_SANITIZE)
  set_tests_properties(cli.golden cli.pages PROPERTIES COST 50)
endif()

# The structure tests read the sources as text and link none of them: sanitizers would check nothing.
if(NOT OPLEDGER_SANITIZE)
  opledger_tests(structure)
endif()

# Every header compiles on its own.
if(OPLEDGER_CHECK_HEADERS)
  foreach(folder IN LISTS folders)
    file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/${folder}/*.h)
    foreach(header IN LISTS headers)
      string(REGEX REPLACE "\\.h$" ".cc" source ${PROJECT_BINARY_DIR}/headers/${header})
      file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n#include \"${header}\"\n")
      list(APPEND header_sources ${source})
    endforeach()
  endforeach()
  add_library(header_check OBJECT ${header_sources})
  target_link_libraries(header_check PRIVATE opledger_cli)
  target_compile_options(header_check PRIVATE -O0 -g0)
endif()

# An installation serves other projects: docs/examples/ and the program in README.md are built against it and run. Sanitized libraries would need sanitized ones.
if(OPLEDGER_TESTS AND TARGET opledger AND NOT OPLEDGER_SANITIZE)
  add_test(NAME install.example
           COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DSOURCE=${PROJECT_SOURCE_DIR} -DGENERATOR=${CMAKE_GENERATOR}
                   -DCOMPILER=${CMAKE_CXX_COMPILER} -DLAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER} -DCONFIG=${CMAKE_BUILD_TYPE}
                   -P ${PROJECT_SOURCE_DIR}/tests/install/install_test.cmake)
  set_tests_properties(install.example PROPERTIES LABELS slow TIMEOUT ${OPLEDGER_TEST_SECONDS})
endif()

# The page of runs is embedded only as its sources have it.
if(OPLEDGER_TESTS)
  add_test(NAME explorer.stale COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DSOURCE=${PROJECT_SOURCE_DIR}
                                       -P ${PROJECT_SOURCE_DIR}/tests/explorer/stale_test.cmake)
endif()

# With the tools that people use: skipped where these are not installed (`scripts/setup.sh`), unless the environment says OPLEDGER_BROWSER=required.
# A sanitized program would say the same.
if(OPLEDGER_TESTS AND NOT OPLEDGER_SANITIZE)
  function(add_tool_test name script)
    add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DSOURCE=${PROJECT_SOURCE_DIR} -P ${PROJECT_SOURCE_DIR}/tests/${script}_test.cmake)
    set_tests_properties(${name} PROPERTIES LABELS "${ARGN}" TIMEOUT ${OPLEDGER_TEST_SECONDS} SKIP_REGULAR_EXPRESSION "skipped: ")
  endfunction()
  add_tool_test(browser.speedscope browser/browser slow)  # traces in viewers
  add_tool_test(browser.explorer browser/explorer slow)   # pages of runs; with OPLEDGER_UPDATE=1 it draws the pictures of docs/explorer.md
  add_tool_test(editor.schema editor/editor slow)         # what a language server offers and marks, and whether it judges as `validate` does
  add_tool_test(lint.mandoc lint/mandoc)                  # manual pages
  add_tool_test(lint.yamllint lint/yamllint)              # documents
  set_tests_properties(browser.explorer PROPERTIES COST 100)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    add_tool_test(benchmarks.instructions benchmarks/instructions slow)
    set_tests_properties(benchmarks.instructions PROPERTIES COST 100)
  endif()
endif()

# The Python module. A sanitized one would need a sanitized Python.
if(OPLEDGER_TESTS AND NOT OPLEDGER_SANITIZE)
  include(tests/python/tests.cmake)
endif()

# Debian packages, made and unpacked where the tools for it are installed (`scripts/setup.sh package`).
find_program(OPLEDGER_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(OPLEDGER_SHLIBDEPS)
if(OPLEDGER_TESTS AND TARGET opledger AND NOT OPLEDGER_SANITIZE AND OPLEDGER_DPKG_DEB AND OPLEDGER_SHLIBDEPS)
  set(package_python "")
  if(TARGET opledger_python)
    set(package_python ${Python_EXECUTABLE})
  endif()
  add_test(NAME install.package COMMAND ${CMAKE_COMMAND} -DMPI=$<TARGET_EXISTS:opledger_mpi> -DPYTHON=${package_python} -DBUILD=${PROJECT_BINARY_DIR} -DVERSION=${PROJECT_VERSION} -DCPACK=${CMAKE_CPACK_COMMAND}
                                        -P ${PROJECT_SOURCE_DIR}/tests/install/package_test.cmake)
  set_tests_properties(install.package PROPERTIES RESOURCE_LOCK build LABELS slow TIMEOUT ${OPLEDGER_TEST_SECONDS})
endif()

# The tar file that needs no library of the system.
if(OPLEDGER_TESTS AND TARGET opledger_program AND NOT OPLEDGER_SANITIZE AND OPLEDGER_DPKG_DEB AND CMAKE_GENERATOR STREQUAL "Ninja")
  add_test(NAME install.tar COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DSOURCE=${PROJECT_SOURCE_DIR} -P ${PROJECT_SOURCE_DIR}/tests/install/tar_test.cmake)
  set_tests_properties(install.tar PROPERTIES RESOURCE_LOCK build LABELS slow TIMEOUT ${OPLEDGER_TEST_SECONDS})
endif()

# tests/fuzz/NAME_fuzz.cc: with clang a fuzzer; in builds with assertions a test that replays the seeds in tests/fuzz/corpus/NAME_fuzz. The other sources are shared.
file(GLOB fuzzers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/*_fuzz.cc)
file(GLOB fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/*.cc)
list(FILTER fuzz_sources EXCLUDE REGEX "(_fuzz|/replay)\\.cc$")
if(OPLEDGER_FUZZERS OR OPLEDGER_TESTS)
  add_library(opledger_fuzz STATIC EXCLUDE_FROM_ALL ${fuzz_sources} tests/paths.cc tests/search/one_by_one.cc)
  target_link_libraries(opledger_fuzz PUBLIC opledger_report opledger_import)
  set_source_files_properties(tests/paths.cc PROPERTIES COMPILE_DEFINITIONS
                              "OPLEDGER_SOURCE_DIR=\"${PROJECT_SOURCE_DIR}\";OPLEDGER_PROGRAM=\"${PROJECT_BINARY_DIR}/opledger\"")
endif()
add_custom_target(fuzzers)
foreach(source IN LISTS fuzzers)
  cmake_path(GET source STEM name)
  if(OPLEDGER_FUZZERS)
    add_executable(${name} ${source} ${PROJECT_SOURCE_DIR}/tests/set_up.cc)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzzers ${name})
  elseif(OPLEDGER_TESTS AND CMAKE_BUILD_TYPE STREQUAL "Debug")
    add_executable(${name} ${source} ${PROJECT_SOURCE_DIR}/tests/fuzz/replay.cc ${PROJECT_SOURCE_DIR}/tests/set_up.cc)
    add_test(NAME fuzz.${name} COMMAND ${name} ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
    set_tests_properties(fuzz.${name} PROPERTIES TIMEOUT ${OPLEDGER_TEST_SECONDS})
  else()
    continue()
  endif()
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)  # in a batch with it, replay.cc would know whether the target mutates
  target_link_libraries(${name} PRIVATE opledger_fuzz)
endforeach()

# tests/benchmarks/*_benchmark.cc: one program, `build/benchmarks`. No test: timings are read by people.
file(GLOB benchmark_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/benchmarks/*_benchmark.cc)
if(OPLEDGER_BENCHMARKS AND benchmark_sources)
  find_package(benchmark QUIET)
  if(benchmark_FOUND)
    add_executable(benchmarks ${benchmark_sources} tests/set_up.cc)
    target_link_libraries(benchmarks PRIVATE opledger_report benchmark::benchmark_main)
    target_compile_definitions(benchmarks PRIVATE OPLEDGER_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  else()
    message(STATUS "Google Benchmark not found: no benchmarks")
  endif()
endif()
