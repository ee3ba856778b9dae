# cmake -D OUTPUT=FILE.cc -D FOLDER=explorer -P embed_explorer.cmake: writes the page as a C++ string. Fails if the page is older than its sources.
file(GLOB_RECURSE sources RELATIVE ${FOLDER} ${FOLDER}/src/*)
list(APPEND sources build.mjs package.json package-lock.json tsconfig.json)
list(SORT sources)
set(all "")
foreach(source IN LISTS sources)
  file(SHA256 ${FOLDER}/${source} sum)
  string(APPEND all "${sum}  ${source}\n")
endforeach()
string(SHA256 expected "${all}")
file(READ ${FOLDER}/explorer.html page)
if(NOT page MATCHES "^<!-- explorer ${expected} -->\n")
  message(FATAL_ERROR "explorer/explorer.html was not built from the sources in explorer/: run `npm ci && npm run build` there, or undo the changes")
endif()
file(WRITE "${OUTPUT}.new" "// Generated from explorer/explorer.html.
#include \"report/explorer_frame.h\"

namespace opledger {

std::string_view explorer_frame() { return R\"EXPLORER(${page})EXPLORER\"; }

}  // namespace opledger
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
