# What talks to MPI is a module that the program opens when mpirun has started it: linked into it, MPI would cost every start some milliseconds.
if(OPLEDGER_MPI)
  find_package(MPI COMPONENTS CXX QUIET)
endif()
set(has_mpi 0)
if(OPLEDGER_MPI AND MPI_CXX_FOUND)
  set(has_mpi 1)
  add_library(opledger_mpi MODULE search/processes/mpi/module.cc)
  set_target_properties(opledger_mpi PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  target_link_libraries(opledger_mpi PRIVATE opledger_options MPI::MPI_CXX)
  install(TARGETS opledger_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/opledger COMPONENT mpi)
endif()

# The folders that may have the module, below the prefix of the program: a package may use another layout than the build.
set(module_folders lib lib64 ${CMAKE_INSTALL_LIBDIR})
if(CMAKE_LIBRARY_ARCHITECTURE)
  list(APPEND module_folders lib/${CMAKE_LIBRARY_ARCHITECTURE})
endif()
list(JOIN module_folders ":" module_folders)
set_source_files_properties(
  ${PROJECT_SOURCE_DIR}/search/processes/open_module.cc
  PROPERTIES COMPILE_DEFINITIONS "OPLEDGER_HAS_MPI=${has_mpi};OPLEDGER_LIBRARY_FOLDERS=\"${module_folders}\";OPLEDGER_LIBRARY_FOLDER=\"${CMAKE_INSTALL_FULL_LIBDIR}\"")
