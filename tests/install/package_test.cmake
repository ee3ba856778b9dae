# Makes the Debian packages of BUILD and looks into them: the program, its documents and its pages in one, headers, library and CMake package in the other.
# The program runs from where they are unpacked. lintian, where it is installed, finds no errors.
cmake_minimum_required(VERSION 3.25)
set(work ${BUILD}/tests/package)
file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work}/home)

function(step what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${what}: status ${status}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# Every file below the root that dpkg would put there, one a line; the package holds those named in ARGN and no file of the other one.
function(check_package package foreign)
  file(GLOB found ${work}/${package}_${VERSION}_*.deb)
  list(LENGTH found count)
  if(NOT count EQUAL 1)
    message(FATAL_ERROR "${package}_${VERSION}_ARCHITECTURE.deb: ${count} such files")
  endif()
  step("unpack ${package}" dpkg-deb --extract ${found} ${work}/${package})
  file(GLOB_RECURSE files RELATIVE ${work}/${package} ${work}/${package}/*)
  foreach(file IN LISTS ARGN)
    if(NOT file IN_LIST files)
      message(FATAL_ERROR "${package} has no ${file}")
    endif()
  endforeach()
  if(files MATCHES "${foreign}")
    message(FATAL_ERROR "${package} has ${CMAKE_MATCH_0}")
  endif()
endfunction()

step("cpack" ${CPACK} --config ${BUILD}/CPackConfig.cmake -B ${work})
check_package(opledger "usr/documents|[^;]*\\.(h|a|cmake)(;|$)" usr/bin/opledger usr/share/opledger/models/llama-3-8b.yaml usr/share/opledger/documents.image usr/share/opledger/schemas/model.schema.json
              usr/share/doc/opledger/README.md usr/share/doc/opledger/docs/sharding.md usr/share/doc/opledger/copyright usr/share/man/man1/opledger.1.gz
              usr/share/man/man1/opledger-eval.1.gz usr/share/opledger/schemas/opledger.schema.json usr/share/bash-completion/completions/opledger
              usr/share/zsh/vendor-completions/_opledger usr/share/fish/vendor_completions.d/opledger.fish)
check_package(opledger-dev "[^;]*(\\.yaml|bin/opledger)(;|$)" usr/lib/libopledger.a usr/include/opledger/run/run.h
              usr/lib/cmake/opledger/opledgerConfig.cmake usr/share/doc/opledger-dev/examples/main.cc)

if(MPI)
  check_package(opledger-mpi "[^;]*(\\.yaml|\\.a|bin/opledger)(;|$)" usr/lib/opledger/libopledger_mpi.so usr/share/doc/opledger-mpi/copyright)
endif()

# Only one folder of documents is used: the one beside the program, wherever that is.
file(RENAME ${work}/opledger ${work}/elsewhere)
step("run from elsewhere" ${CMAKE_COMMAND} -E env --unset=OPLEDGER_PATH --unset=XDG_CONFIG_HOME HOME=${work}/home
     ${work}/elsewhere/usr/bin/opledger eval gpt3-175b gpt3-175b-64xa100 a100-80g-sxm)
if(NOT output MATCHES "\n *peak +[0-9.]+ GiB")
  message(FATAL_ERROR "the unpacked program printed:\n${output}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=OPLEDGER_PATH --unset=XDG_CONFIG_HOME HOME=${work}/home
                ${work}/elsewhere/usr/bin/opledger params no-such-model ERROR_VARIABLE output OUTPUT_QUIET)
string(FIND "${output}" "${work}/elsewhere/usr/share/opledger`" place)
if(place EQUAL -1)
  message(FATAL_ERROR "the unpacked program does not read the documents beside it:\n${output}")
endif()

# The module for MPI is found where it is unpacked together with the program: MPI starts, and knows of one process.
if(MPI)
  file(COPY ${work}/opledger-mpi/usr DESTINATION ${work}/elsewhere)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=OPLEDGER_PATH --unset=XDG_CONFIG_HOME HOME=${work}/home PMI_SIZE=3
                  ${work}/elsewhere/usr/bin/opledger search calculon calculon/megatron-126M calculon/a100_80g --set num_procs=2 ERROR_VARIABLE output OUTPUT_QUIET)
  if(NOT output MATCHES "which knows 1 ")
    message(FATAL_ERROR "the unpacked program does not find its module for MPI:\n${output}")
  endif()
endif()

# What it imports tells editors where the schema is.
file(WRITE ${work}/config.json "{\"model_type\": \"gpt2\", \"architectures\": [\"GPT2LMHeadModel\"], \"n_layer\": 2, \"n_embd\": 64, \"n_head\": 2, \"n_positions\": 64, \"vocab_size\": 256}")
step("import" ${CMAKE_COMMAND} -E env --unset=OPLEDGER_PATH --unset=XDG_CONFIG_HOME HOME=${work}/home ${work}/elsewhere/usr/bin/opledger import hf ${work}/config.json)
string(FIND "${output}" "# yaml-language-server: $schema=${work}/elsewhere/usr/share/opledger/schemas/opledger.schema.json\n" place)
if(NOT place EQUAL 0)
  message(FATAL_ERROR "what the unpacked program imports does not name its schema:\n${output}")
endif()

# The module for Python finds the documents where it is unpacked together with the program.
if(PYTHON)
  check_package(python3-opledger "[^;]*(\\.yaml|\\.a|bin/opledger)(;|$)" usr/lib/python3/dist-packages/opledger/__init__.py
                usr/lib/python3/dist-packages/opledger/py.typed usr/share/doc/python3-opledger/copyright)
  file(COPY ${work}/python3-opledger/usr DESTINATION ${work}/elsewhere)
  step("import from elsewhere" ${CMAKE_COMMAND} -E env --unset=OPLEDGER_PATH --unset=XDG_CONFIG_HOME HOME=${work}/home PYTHONDONTWRITEBYTECODE=1
       PYTHONPATH=${work}/elsewhere/usr/lib/python3/dist-packages ${PYTHON} -c
       "import opledger as ol\nprint(ol.Model('gpt3-175b').path, ol.Run('gpt3-175b', 'gpt3-175b-64xa100', 'a100-80g-sxm').memory)")
  if(NOT output MATCHES "${work}/elsewhere/usr/share/opledger/models/gpt3-175b.yaml +[0-9.]+ GiB")
    message(FATAL_ERROR "the unpacked module printed:\n${output}")
  endif()
endif()

find_program(lintian lintian)
if(lintian)
  file(GLOB packages ${work}/*.deb)
  step("lintian" ${lintian} --fail-on error --allow-root ${packages})
  message("${output}")
else()
  message("lintian is not installed: not asked")
endif()
