# The examples of cli/help/NAME.txt, compiled into the program. Included by the root after its folders.
include_guard()

file(GLOB help_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cli/help/*.txt)
set(help_source ${PROJECT_BINARY_DIR}/cli/help_examples.cc)
add_custom_command(
  OUTPUT ${help_source}
  COMMAND ${CMAKE_COMMAND} -D OUTPUT=${help_source} -D "FILES=${help_files}" -P ${PROJECT_SOURCE_DIR}/cli/embed.cmake
  DEPENDS ${help_files} ${PROJECT_SOURCE_DIR}/cli/embed.cmake
  COMMENT "Embedding the examples of --help"
  VERBATIM)
target_sources(opledger_cli PRIVATE ${help_source})

# The tests of the command line run the program.
if(TARGET test_cli)
  add_dependencies(test_cli opledger_program)
endif()
