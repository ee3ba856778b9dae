# What shells, editors and `man` know of the program, written by itself: manual pages, completion, the schema of documents.
set(made ${PROJECT_BINARY_DIR}/share)
add_custom_command(
  OUTPUT ${made}/opledger.schema.json
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${made}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${made}
  COMMAND ${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:opledger_program> -D FOLDER=${made} -P ${PROJECT_SOURCE_DIR}/cmake/write_share.cmake
  DEPENDS opledger_program ${library_documents} ${schema_files} ${PROJECT_SOURCE_DIR}/cmake/write_share.cmake
  COMMENT "Writing manual pages, completion and the schema of documents"
  VERBATIM)
add_custom_target(opledger_share ALL DEPENDS ${made}/opledger.schema.json)

install(DIRECTORY ${made}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${made}/opledger.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/opledger/schemas)
install(FILES ${made}/opledger DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
foreach(folder site-functions vendor-completions)      # of zsh, and of zsh in Debian
  install(FILES ${made}/_opledger DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${folder})
endforeach()
install(FILES ${made}/opledger.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
