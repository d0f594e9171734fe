# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# How gridir's own sources are compiled: ccache, warnings, the precompiled header.

if(GRIDIR_ENABLE_CCACHE)
  find_program(GRIDIR_CCACHE ccache)
  if(GRIDIR_CCACHE)
    set(CMAKE_C_COMPILER_LAUNCHER "${GRIDIR_CCACHE}")
    # What includes a precompiled header is kept only with this, and with the compiler's -fpch-preprocess below.
    # Not `cmake -E env`: the path of cmake is that of an environment, and another one would compile everything again.
    set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros "${GRIDIR_CCACHE}")
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

# MLIR and LLVM stay as they are, so that what only their code does goes unseen.
if(GRIDIR_SANITIZERS)
  string(REPLACE ";" "," GRIDIR_SANITIZE "-fsanitize=${GRIDIR_SANITIZERS}")
  # `vptr` needs RTTI.
  add_compile_options(${GRIDIR_SANITIZE} -fno-sanitize=vptr -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  add_link_options(${GRIDIR_SANITIZE})
  # What Python, which is compiled without, loads before everything else: the sanitizer's library, and where it looks
  # for the functions of exceptions.
  string(SUBSTRING "${GRIDIR_SANITIZERS}" 0 1 letter)
  foreach(library ${letter}san stdc++)
    execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -print-file-name=lib${library}.so
                    OUTPUT_VARIABLE path OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    list(APPEND GRIDIR_SANITIZER_RUNTIME "${path}")
  endforeach()
  list(JOIN GRIDIR_SANITIZER_RUNTIME ":" GRIDIR_SANITIZER_RUNTIME)
endif()

add_subdirectory("${PROJECT_SOURCE_DIR}/cmake/Precompiled")
