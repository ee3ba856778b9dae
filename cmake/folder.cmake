# opledger_folder(NAME USES folders… LINK targets… PRIVATE targets…): the library of one folder (all its .cc but main.cc), and its tests.
# LINK names what the folder's headers include, PRIVATE what only its sources do. A folder without sources yet only passes on what it uses.
# The folders' names are collected in OPLEDGER_FOLDERS, those with sources in OPLEDGER_COMPILED, their libraries in OPLEDGER_LINK and OPLEDGER_PRIVATE.
function(opledger_folder name)
  cmake_parse_arguments(arg "" "" "USES;LINK;PRIVATE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${name}/*.cc ${PROJECT_SOURCE_DIR}/${name}/*/*.cc)
  list(FILTER sources EXCLUDE REGEX "/main\\.cc$")
  set(target opledger_${name})
  list(TRANSFORM arg_USES PREPEND opledger_)
  if(sources)
    add_library(${target} STATIC ${sources})
    target_link_libraries(${target} PUBLIC opledger_options ${arg_USES} ${arg_LINK} PRIVATE ${arg_PRIVATE})
    set_property(GLOBAL APPEND PROPERTY OPLEDGER_COMPILED ${name})
  else()
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE opledger_options ${arg_USES} ${arg_LINK})
  endif()
  set_property(GLOBAL APPEND PROPERTY OPLEDGER_FOLDERS ${name})
  set_property(GLOBAL APPEND PROPERTY OPLEDGER_LINK ${arg_LINK})
  set_property(GLOBAL APPEND PROPERTY OPLEDGER_PRIVATE ${arg_PRIVATE})
  opledger_tests(${name} LINK ${target})
endfunction()

# opledger_tests(NAME LINK targets…): tests/NAME/*.cc as the program test_NAME, each test case a test of CTest named `NAME.…`.
function(opledger_tests name)
  cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
  file(GLOB tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${name}/*.cc)
  if(NOT tests OR NOT OPLEDGER_TESTS)
    return()
  endif()
  add_executable(test_${name} ${tests} $<TARGET_OBJECTS:opledger_test_main>)
  target_link_libraries(test_${name} PRIVATE ${arg_LINK} opledger_options doctest::doctest)
  if(TARGET opledger_run AND NOT name STREQUAL structure)  # runs call functions of folders that are built on them
    target_sources(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/set_up.cc)
    target_link_libraries(test_${name} PRIVATE opledger_report)
  endif()
  add_dependencies(test_${name} opledger_image)
  # Test cases run once: what optimising them would gain is less than what it takes the compiler.
  if(OPLEDGER_SANITIZE)
    target_compile_options(test_${name} PRIVATE -O0)
  else()
    target_compile_options(test_${name} PRIVATE -O1)
  endif()
  # doctest exits with 0 when a filter matches no test case (a `;` in its name does that): such a run has failed.
  doctest_discover_tests(test_${name} TEST_PREFIX ${name}. PROPERTIES TIMEOUT ${OPLEDGER_TEST_SECONDS} FAIL_REGULAR_EXPRESSION "test cases: +0 "
                         SKIP_REGULAR_EXPRESSION "MESSAGE: skipped: ")
endfunction()
