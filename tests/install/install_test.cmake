# Installs BUILD into a fresh folder, builds EXAMPLE against that with find_package, and runs the example and the installed program.
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

# The example must see no file of the checkout, only those installed.
step("configure the example" ${CMAKE_COMMAND} -S ${EXAMPLE} -B ${work}/example -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${COMPILER}
     -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} -DCMAKE_BUILD_TYPE=${CONFIG} -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
step("build the example" ${CMAKE_COMMAND} --build ${work}/example)
step("run the example" ${work}/example/example)
if(NOT output MATCHES "GiB")
  message(FATAL_ERROR "the example printed:\n${output}")
endif()
message("${output}")

if(EXISTS ${prefix}/bin/opledger)
  step("run the installed program" ${prefix}/bin/opledger --version)
  message("${output}")
  # A user's own documents, with nothing but what was installed.
  step("a user's own documents" ${CMAKE_COMMAND} -E env OPLEDGER_PROGRAM=${prefix}/bin/opledger ${BUILD}/test_extension)
endif()
