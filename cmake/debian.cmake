# Debian packages: `cpack --config build/CPackConfig.cmake` makes opledger_VERSION_ARCHITECTURE.deb (the program, its documents, its pages) and
# opledger-dev_… (headers, static library, CMake package), and where the Python module is built python3-opledger_…, and where MPI is installed opledger-mpi_…: the module for the MPI that it was built with.
find_program(OPLEDGER_DPKG_DEB dpkg-deb)
mark_as_advanced(OPLEDGER_DPKG_DEB)
if(NOT OPLEDGER_DPKG_DEB)
  return()
endif()

# What Debian wants compressed, in the folders where Debian wants it. Only packages have it.
function(install_compressed source name destination component)
  set(compressed ${PROJECT_BINARY_DIR}/debian/${component}/${name}.gz)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/debian/${component})
  execute_process(COMMAND gzip -9nc ${source} OUTPUT_FILE ${compressed} COMMAND_ERROR_IS_FATAL ANY)
  install(FILES ${compressed} DESTINATION ${destination} COMPONENT ${component})
endfunction()

set(debian ${PROJECT_SOURCE_DIR}/cmake/debian)
install_compressed(${debian}/changelog changelog ${CMAKE_INSTALL_DATADIR}/doc/opledger program)
install_compressed(${debian}/changelog changelog ${CMAKE_INSTALL_DATADIR}/doc/opledger-dev dev)
install(FILES ${debian}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/opledger)
install(FILES ${debian}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/opledger-dev COMPONENT dev)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME opledger)
set(CPACK_PACKAGE_CONTACT "The opledger authors <authors@opledger.invalid>")
set(CPACK_COMPONENTS_ALL program dev)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME opledger)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "Parameters, FLOPs, memory, communication and time of a language model in
training or inference, from documents that describe the model, how it is split
over processors, the machine, and the formulas that count.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME opledger-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "opledger (= ${PROJECT_VERSION}), libboost-dev, libfmt-dev, libsqlite3-dev, libtbb-dev, libutf8proc-dev, libyaml-cpp-dev, nlohmann-json3-dev, zlib1g-dev")
set(CPACK_COMPONENT_DEV_DESCRIPTION "Headers, static library and CMake package: for programs that compute what the
program opledger does, with find_package(opledger) and opledger::opledger.")

if(TARGET opledger_python)
  install_compressed(${debian}/changelog changelog ${CMAKE_INSTALL_DATADIR}/doc/python3-opledger python)
  install(FILES ${debian}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/python3-opledger COMPONENT python)
  list(APPEND CPACK_COMPONENTS_ALL python)
  math(EXPR next_python "${Python_VERSION_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-opledger)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
      "opledger (= ${PROJECT_VERSION}), python3 (>= 3.${Python_VERSION_MINOR}), python3 (<< 3.${next_python})")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-numpy, python3-pandas")
  set(CPACK_COMPONENT_PYTHON_DESCRIPTION "Python module: runs, tables as DataFrames, explanations and pages that a
notebook shows, searches, tables of runs: what the program opledger does.")
endif()

if(TARGET opledger_mpi)
  install_compressed(${debian}/changelog changelog ${CMAKE_INSTALL_DATADIR}/doc/opledger-mpi mpi)
  install(FILES ${debian}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/opledger-mpi COMPONENT mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_NAME opledger-mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_MPI_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "opledger (= ${PROJECT_VERSION})")
  set(CPACK_COMPONENT_MPI_DESCRIPTION "Module for MPI: `mpirun opledger search` shares a search among processes on
several machines.")
endif()
include(CPack)
