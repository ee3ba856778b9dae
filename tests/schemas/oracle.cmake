# An independent validator as the oracle of ours, where Debian's python3-jsonschema and python3-yaml are installed.
execute_process(COMMAND /usr/bin/python3 -c "import jsonschema, yaml" RESULT_VARIABLE oracle_missing OUTPUT_QUIET ERROR_QUIET)
if(oracle_missing EQUAL 0)
  add_executable(schema_verdicts ${PROJECT_SOURCE_DIR}/tests/schemas/oracle/verdicts.cc)
  target_link_libraries(schema_verdicts PRIVATE opledger_schemas)
  add_test(NAME schemas.oracle COMMAND /usr/bin/python3 ${PROJECT_SOURCE_DIR}/tests/schemas/oracle.py ${PROJECT_SOURCE_DIR} $<TARGET_FILE:schema_verdicts> 2)
  set_tests_properties(schemas.oracle PROPERTIES LABELS slow TIMEOUT ${OPLEDGER_TEST_SECONDS})
endif()
