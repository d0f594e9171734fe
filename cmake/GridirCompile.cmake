# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# How gridir's own sources are compiled: ccache, warnings, the precompiled header.

if(GRIDIR_ENABLE_CCACHE)
  find_program(GRIDIR_CCACHE ccache)
  if(GRIDIR_CCACHE)
    set(CMAKE_C_COMPILER_LAUNCHER "${GRIDIR_CCACHE}")
    # What includes a precompiled header is kept only with this, and with the compiler's -fpch-preprocess below.
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${GRIDIR_CCACHE}")
  endif()
endif()

add_library(GridirCompileOptions INTERFACE)
target_link_libraries(GridirCompileOptions INTERFACE GridirMLIRHeaders)
target_include_directories(GridirCompileOptions INTERFACE "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}")
# Like LLVM, gridir throws nothing; without tables for unwinding the package is several megabytes smaller.
target_compile_options(
  GridirCompileOptions
  INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti> $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>
            -fno-asynchronous-unwind-tables -fno-unwind-tables -ffunction-sections -fdata-sections -Wall -Wextra
            -Wno-unused-parameter -Wno-comment $<$<CXX_COMPILER_ID:GNU>:-Wno-dangling-reference
            -Wno-maybe-uninitialized -fpch-preprocess>)

# Reading MLIR's headers is most of the time that a pass takes to compile.
add_library(GridirPrecompiled OBJECT "${PROJECT_SOURCE_DIR}/cmake/Precompiled.cpp")
target_link_libraries(GridirPrecompiled PRIVATE GridirCompileOptions)
target_precompile_headers(GridirPrecompiled PRIVATE "${PROJECT_SOURCE_DIR}/cmake/Precompiled.h")
