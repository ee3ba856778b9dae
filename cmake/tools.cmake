# Faster builds where the tools for it are installed: ccache, and mold as the linker. Neither changes what is built.
include(CheckLinkerFlag)

option(OPLEDGER_FAST_TOOLS "Use ccache and mold when they are installed" ON)

if(OPLEDGER_FAST_TOOLS AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(OPLEDGER_CCACHE ccache)
  mark_as_advanced(OPLEDGER_CCACHE)
  if(OPLEDGER_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${OPLEDGER_CCACHE})
  endif()
endif()

if(OPLEDGER_FAST_TOOLS AND NOT CMAKE_EXE_LINKER_FLAGS MATCHES "-fuse-ld")
  check_linker_flag(CXX -fuse-ld=mold OPLEDGER_HAS_MOLD)
  if(OPLEDGER_HAS_MOLD)
    add_link_options(-fuse-ld=mold)
  endif()
endif()
