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

# The date of manual pages is that of the version.
file(STRINGS ${PROJECT_SOURCE_DIR}/cmake/debian/changelog released REGEX "^ -- " LIMIT_COUNT 1)
string(REGEX REPLACE ".*, ([0-9]+) ([A-Z][a-z]+) ([0-9]+) .*" "\\2 \\1, \\3" released "${released}")
set_source_files_properties(${PROJECT_SOURCE_DIR}/cli/manual.cc PROPERTIES COMPILE_DEFINITIONS "OPLEDGER_DATE=\"${released}\"")

# The tests of the command line run the program.
if(TARGET test_cli)
  add_dependencies(test_cli opledger_program)
endif()
