# Traces in the viewers that people use, offline in a headless browser. Skipped where there is no browser or no npm, unless the environment says OPLEDGER_BROWSER=required.
cmake_minimum_required(VERSION 3.25)
set(work ${BUILD}/tests/browser)

include(${SOURCE}/tests/tools.cmake)
find_browser_tools()

file(MAKE_DIRECTORY ${work})
foreach(file package.json package-lock.json speedscope.mjs)
  file(COPY ${SOURCE}/tests/browser/${file} DESTINATION ${work})
endforeach()
step("npm ci" ${npm_found} ci --no-audit --no-fund --loglevel=error)
step("trace" ${BUILD}/opledger timeline llama-3.1-405b llama-3.1-405b-16384xh100 h100-80g-sxm -o step.json.gz)
set(ENV{BROWSER} ${chromium_found})
step("speedscope" ${node_found} speedscope.mjs step.json.gz)
step("trace of operators" ${BUILD}/opledger timeline llama-3.1-405b llama-3.1-405b-16384xh100 h100-80g-sxm --detail operators --microbatches 1 -o operators.json.gz)
step("speedscope" ${node_found} speedscope.mjs operators.json.gz)
