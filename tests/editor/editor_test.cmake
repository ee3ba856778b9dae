# The schema that editors get, in the language server that they use. Skipped where there is no npm, unless the environment says OPLEDGER_BROWSER=required.
cmake_minimum_required(VERSION 3.25)
set(work ${BUILD}/tests/editor)

include(${SOURCE}/tests/tools.cmake)
find_tools(node npm)

file(MAKE_DIRECTORY ${work})
file(GLOB scripts ${SOURCE}/tests/editor/*.mjs)
file(COPY ${scripts} ${SOURCE}/tests/editor/package.json ${SOURCE}/tests/editor/package-lock.json DESTINATION ${work})
step("npm ci" ${npm_found} ci --no-audit --no-fund --loglevel=error)
step("schemas" ${BUILD}/opledger schema --all -o .opledger/)
file(STRINGS ${SOURCE}/schemas/kinds.h kinds REGEX "{\"[a-z]+\", \"[a-z/]+\"}")
list(TRANSFORM kinds REPLACE "^[^\"]*\"([a-z]+)\".*" "\\1")
step("language server" ${node_found} editor.mjs ${kinds})
step("names that are there" ${BUILD}/opledger schema --library -o closed.schema.json)
step("agreement" ${node_found} agreement.mjs ${BUILD}/opledger ${SOURCE})
