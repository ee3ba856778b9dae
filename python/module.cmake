# Builds the Python package build/python/opledger. Included by the root after its folders.
include_guard()

# Debian's Python takes precedence, because python3-opledger targets it and the tests need its packages.
find_program(OPLEDGER_PYTHON3 NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(OPLEDGER_PYTHON3 NAMES python3)
mark_as_advanced(OPLEDGER_PYTHON3)
if(NOT OPLEDGER_PYTHON OR OPLEDGER_SANITIZE OR NOT OPLEDGER_PYTHON3)
  return()
endif()
set(Python_EXECUTABLE ${OPLEDGER_PYTHON3} CACHE FILEPATH "The Python that the module is for")
find_package(Python 3.9 COMPONENTS Interpreter Development.Module QUIET)
find_package(pybind11 2.10 CONFIG QUIET)
if(NOT Python_FOUND OR NOT pybind11_FOUND)
  message(STATUS "pybind11 or Python's headers not found: no Python module")
  return()
endif()

set(python_package ${PROJECT_BINARY_DIR}/python/opledger)
file(GLOB python_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/*.cc)
file(GLOB python_files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/python/opledger ${PROJECT_SOURCE_DIR}/python/opledger/*)
list(REMOVE_ITEM python_files __pycache__)

pybind11_add_module(opledger_python MODULE NO_EXTRAS ${python_sources})
set_target_properties(opledger_python PROPERTIES OUTPUT_NAME _core LIBRARY_OUTPUT_DIRECTORY ${python_package})
target_link_libraries(opledger_python PRIVATE opledger_report opledger_import)
# The module only converts values, so -O1 suffices. Symbols of the library stay private.
target_compile_options(opledger_python PRIVATE $<$<CONFIG:Release>:-O1>)
target_link_options(opledger_python PRIVATE LINKER:--exclude-libs,ALL)

# Python files are copied into the package.
foreach(file IN LISTS python_files)
  add_custom_command(
    OUTPUT ${python_package}/${file}
    COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/python/opledger/${file} ${python_package}/${file}
    DEPENDS ${PROJECT_SOURCE_DIR}/python/opledger/${file}
    VERBATIM)
  list(APPEND python_copies ${python_package}/${file})
endforeach()
add_custom_target(opledger_python_files ALL DEPENDS ${python_copies})
add_dependencies(opledger_python opledger_python_files opledger_image)

set(OPLEDGER_PYTHON_DIR lib/python3/dist-packages CACHE STRING "Where the package of Python is installed, below the prefix")
install(TARGETS opledger_python LIBRARY DESTINATION ${OPLEDGER_PYTHON_DIR}/opledger COMPONENT python)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/opledger DESTINATION ${OPLEDGER_PYTHON_DIR} COMPONENT python
        FILES_MATCHING REGEX "\\.(py|pyi|typed)$" PATTERN __pycache__ EXCLUDE)
