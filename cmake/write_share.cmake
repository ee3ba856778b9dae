# cmake -D PROGRAM=opledger -D FOLDER=… -P write_share.cmake: what the program says of itself, as an installation has it. Manual pages are compressed where there is gzip.
foreach(command "man;--all;-o;${FOLDER}/man1/" "schema;-o;${FOLDER}/opledger.schema.json" "completion;bash;-o;${FOLDER}/opledger"
        "completion;zsh;-o;${FOLDER}/_opledger" "completion;fish;-o;${FOLDER}/opledger.fish")
  execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=OPLEDGER_PATH XDG_CONFIG_HOME=/nonexistent ${PROGRAM} ${command} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endforeach()
find_program(gzip gzip)
file(GLOB pages ${FOLDER}/man1/*.1)
if(gzip)
  execute_process(COMMAND ${gzip} -9nf ${pages} COMMAND_ERROR_IS_FATAL ANY)
endif()
