# Installs BUILD into a fresh folder, builds SOURCE's docs/examples/ and the program in its docs/install.md against that with find_package, and runs them and the
# installed program.
cmake_minimum_required(VERSION 3.25)
set(work ${BUILD}/tests/install)
set(prefix ${work}/prefix)
file(REMOVE_RECURSE ${work})

function(step what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${what}: status ${status}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

step("install" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
file(GLOB_RECURSE headers RELATIVE ${prefix}/include/opledger ${prefix}/include/opledger/*.h)
if(NOT "base/units.h" IN_LIST headers)
  message(FATAL_ERROR "no base/units.h among the installed headers: ${headers}")
endif()

# Both must see no file of the checkout, only those installed.
function(try_example name folder)
  step("configure ${name}" ${CMAKE_COMMAND} -S ${folder} -B ${work}/${name} -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${COMPILER}
       -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} -DCMAKE_BUILD_TYPE=${CONFIG} -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
  step("build ${name}" ${CMAKE_COMMAND} --build ${work}/${name})
  step("run ${name}" ${work}/${name}/example)
  if(NOT output MATCHES "GiB")
    message(FATAL_ERROR "${name} printed:\n${output}")
  endif()
  message("${output}")
endfunction()

# The first ```LANGUAGE block of docs/install.md.
function(snippet language result)
  file(READ ${SOURCE}/docs/install.md text)
  if(NOT text MATCHES "\n```${language}\n([^`]*)```\n")
    message(FATAL_ERROR "docs/install.md has no ${language}")
  endif()
  set(${result} "${CMAKE_MATCH_1}" PARENT_SCOPE)
endfunction()

try_example(examples ${SOURCE}/docs/examples)
snippet(cmake project)
snippet(cpp program)
file(WRITE ${work}/page-source/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)\nproject(page LANGUAGES CXX)\n${project}")
file(WRITE ${work}/page-source/main.cc "${program}")
try_example(page ${work}/page-source)

if(EXISTS ${prefix}/bin/opledger)
  step("run the installed program" ${prefix}/bin/opledger --version)
  message("${output}")
  # A user's own documents, with nothing but what was installed.
  step("a user's own documents" ${CMAKE_COMMAND} -E env OPLEDGER_PROGRAM=${prefix}/bin/opledger ${BUILD}/test_extension)
endif()
