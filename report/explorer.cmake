# Compiles the page without data into the program. Included by the root after its folders. explorer/explorer.html is
# committed, so a build of opledger needs no npm; its first line has a checksum of its sources.
include_guard()

set(explorer ${PROJECT_SOURCE_DIR}/explorer)
file(GLOB_RECURSE explorer_sources CONFIGURE_DEPENDS ${explorer}/src/*)
list(APPEND explorer_sources ${explorer}/build.mjs ${explorer}/package.json ${explorer}/package-lock.json ${explorer}/tsconfig.json)
set(explorer_source ${PROJECT_BINARY_DIR}/report/explorer_frame.cc)
add_custom_command(
  OUTPUT ${explorer_source}
  COMMAND ${CMAKE_COMMAND} -D OUTPUT=${explorer_source} -D FOLDER=${explorer} -P ${PROJECT_SOURCE_DIR}/report/embed_explorer.cmake
  DEPENDS ${explorer_sources} ${explorer}/explorer.html ${PROJECT_SOURCE_DIR}/report/embed_explorer.cmake
  COMMENT "Embedding the page of runs"
  VERBATIM)
target_sources(opledger_report PRIVATE ${explorer_source})
