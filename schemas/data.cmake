# The library of documents: the schemas are compiled in, the YAML files are installed and found at run time. Included by the root after its folders.
include_guard()

file(GLOB schema_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/schemas/*.schema.json)
set(schema_source ${PROJECT_BINARY_DIR}/schemas/schema_text.cc)
add_custom_command(
  OUTPUT ${schema_source}
  COMMAND ${CMAKE_COMMAND} -D OUTPUT=${schema_source} -D "FILES=${schema_files}" -P ${PROJECT_SOURCE_DIR}/schemas/embed.cmake
  DEPENDS ${schema_files} ${PROJECT_SOURCE_DIR}/schemas/embed.cmake
  COMMENT "Embedding the schemas"
  VERBATIM)
target_sources(opledger_schemas PRIVATE ${schema_source})

# Where the program looks after the user's own folders: next to itself, then where it was to be installed, then where it was built.
set_source_files_properties(
  ${PROJECT_SOURCE_DIR}/schemas/search_path.cc
  PROPERTIES COMPILE_DEFINITIONS "OPLEDGER_DATA_DIR_BUILD=\"${PROJECT_SOURCE_DIR}\";OPLEDGER_DATA_DIR_INSTALL=\"${CMAKE_INSTALL_FULL_DATADIR}/opledger\";OPLEDGER_IMAGE_BUILD=\"${PROJECT_BINARY_DIR}/documents.image\"")

# The image of the library, which spares programs parsing it (schemas/image.h).
set(library_folders ops play/orders models rules systems executions stacks accounting search/spaces search/plans search/changes measured/validations measured/measurements)
foreach(folder IN LISTS library_folders)
  file(GLOB_RECURSE documents CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.yaml)
  list(APPEND library_documents ${documents})
endforeach()
list(APPEND library_documents ${PROJECT_SOURCE_DIR}/measured/accuracy.yaml)
add_executable(opledger_image_writer ${PROJECT_SOURCE_DIR}/ops/main.cc)
target_link_libraries(opledger_image_writer PRIVATE opledger_ops)
add_custom_command(
  OUTPUT ${PROJECT_BINARY_DIR}/documents.image
  COMMAND opledger_image_writer ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/documents.image
  DEPENDS opledger_image_writer ${library_documents}
  COMMENT "Writing the image of the library"
  VERBATIM)
add_custom_target(opledger_image ALL DEPENDS ${PROJECT_BINARY_DIR}/documents.image)
install(FILES ${PROJECT_BINARY_DIR}/documents.image DESTINATION ${CMAKE_INSTALL_DATADIR}/opledger)
install(FILES ${PROJECT_BINARY_DIR}/documents.image DESTINATION documents COMPONENT documents EXCLUDE_FROM_ALL)

foreach(folder IN LISTS library_folders)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/opledger/${folder} OPTIONAL FILES_MATCHING PATTERN "*.yaml")
  # The same alone, for what has them in it: `cmake --install build --component documents`.
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}/ DESTINATION documents/${folder} COMPONENT documents EXCLUDE_FROM_ALL OPTIONAL FILES_MATCHING PATTERN "*.yaml")
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/measured/accuracy.yaml DESTINATION ${CMAKE_INSTALL_DATADIR}/opledger/measured)
install(FILES ${PROJECT_SOURCE_DIR}/measured/accuracy.yaml DESTINATION documents/measured COMPONENT documents EXCLUDE_FROM_ALL)
install(FILES ${schema_files} DESTINATION ${CMAKE_INSTALL_DATADIR}/opledger/schemas)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/schemas/output DESTINATION ${CMAKE_INSTALL_DATADIR}/opledger/schemas)

if(OPLEDGER_TESTS)
  include(${PROJECT_SOURCE_DIR}/tests/schemas/oracle.cmake)
endif()
