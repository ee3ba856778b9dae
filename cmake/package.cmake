# What an installation consists of: the program and its pages; for developers, one static library of all folders but cli, its headers and its CMake package.
# schemas/data.cmake adds the data; cmake/debian.cmake makes Debian packages of it.
# Another project writes find_package(opledger) and links opledger::opledger.
include(CMakePackageConfigHelpers)

get_property(folders GLOBAL PROPERTY OPLEDGER_FOLDERS)
get_property(compiled GLOBAL PROPERTY OPLEDGER_COMPILED)
get_property(links GLOBAL PROPERTY OPLEDGER_LINK)
get_property(private_links GLOBAL PROPERTY OPLEDGER_PRIVATE)
foreach(list IN ITEMS folders compiled links private_links)
  list(APPEND ${list} "")
  list(REMOVE_ITEM ${list} cli CLI11::CLI11 "")
  list(REMOVE_DUPLICATES ${list})
endforeach()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/opledger)
set(data_dir ${CMAKE_INSTALL_DATADIR}/opledger)

if(compiled)
  list(TRANSFORM compiled REPLACE "(.+)" "$<TARGET_OBJECTS:opledger_\\1>" OUTPUT_VARIABLE objects)
  add_library(opledger STATIC ${objects})
  add_library(opledger::opledger ALIAS opledger)
  set_target_properties(opledger PROPERTIES LINKER_LANGUAGE CXX)
  target_compile_features(opledger PUBLIC cxx_std_20)
  target_include_directories(opledger PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/opledger>)
  target_link_libraries(opledger PUBLIC ${links} PRIVATE ${private_links})

  install(TARGETS opledger EXPORT opledger_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
  install(EXPORT opledger_targets NAMESPACE opledger:: FILE opledgerTargets.cmake DESTINATION ${package_dir} COMPONENT dev)
  configure_package_config_file(cmake/opledgerConfig.cmake.in ${PROJECT_BINARY_DIR}/opledgerConfig.cmake INSTALL_DESTINATION ${package_dir}
                                PATH_VARS data_dir)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/opledgerConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/opledgerConfig.cmake ${PROJECT_BINARY_DIR}/opledgerConfigVersion.cmake DESTINATION ${package_dir}
          COMPONENT dev)
endif()

foreach(folder IN LISTS folders)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${folder})
    install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/opledger COMPONENT dev FILES_MATCHING PATTERN "*.h")
  endif()
endforeach()

if(TARGET opledger_program)
  install(TARGETS opledger_program DESTINATION ${CMAKE_INSTALL_BINDIR})
  include(cmake/share.cmake)
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT licence)
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png")
install(DIRECTORY docs/examples DESTINATION ${CMAKE_INSTALL_DOCDIR}-dev COMPONENT dev)

# What starts the program in a tar file that needs no library of the system: scripts/package_tar.sh.
add_executable(opledger_launcher EXCLUDE_FROM_ALL cmake/tar/launcher.c)
target_compile_definitions(opledger_launcher PRIVATE _GNU_SOURCE)
target_compile_options(opledger_launcher PRIVATE -Os -Wall -Wextra)
target_link_options(opledger_launcher PRIVATE -static)

include(cmake/debian.cmake)
