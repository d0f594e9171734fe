# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# find_package(Gridir) defines Gridir::Gridir: gridir's dialects, passes, pipelines and registration, with the MLIR that
# they need, for a tool or a library of your own.
#
# MLIR and LLVM are those of MLIR_DIR and LLVM_DIR where these are set; else those of the Python packages beside gridir,
# or of the Python that CMake finds, Python_EXECUTABLE; else whatever CMake finds.

include(CMakeFindDependencyMacro)
get_filename_component(GRIDIR_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

get_filename_component(gridir_sites "${GRIDIR_PREFIX}/.." ABSOLUTE)
if(NOT EXISTS "${gridir_sites}/mlir/lib/cmake/mlir" AND NOT (MLIR_DIR AND LLVM_DIR))
  # As in an environment that is stacked on another one.
  find_package(Python QUIET COMPONENTS Interpreter)
  if(Python_EXECUTABLE)
    execute_process(COMMAND "${Python_EXECUTABLE}" -c "import sys; print(';'.join(filter(None, sys.path)), end='')"
                    OUTPUT_VARIABLE gridir_sites)
  endif()
endif()
list(TRANSFORM gridir_sites APPEND "/llvm/lib/cmake/llvm" OUTPUT_VARIABLE gridir_hints)
find_package(LLVM 22.1 QUIET CONFIG HINTS ${gridir_hints})
list(TRANSFORM gridir_sites APPEND "/mlir/lib/cmake/mlir" OUTPUT_VARIABLE gridir_hints)
find_package(MLIR 22.1 QUIET CONFIG HINTS ${gridir_hints})
if(NOT MLIR_FOUND)
  set(${CMAKE_FIND_PACKAGE_NAME}_FOUND FALSE)
  set(${CMAKE_FIND_PACKAGE_NAME}_NOT_FOUND_MESSAGE
      "expected MLIR 22.1 and its LLVM beside gridir. `pip install @GRIDIR_MLIR_REQUIREMENTS@` brings what gridir was \
built with, or MLIR_DIR and LLVM_DIR say where others are")
  return()
endif()
include("${CMAKE_CURRENT_LIST_DIR}/GridirLinkMLIR.cmake")
gridir_make_tblgen_executable()

set(GRIDIR_INCLUDE_DIRS "${GRIDIR_PREFIX}/include")
file(GLOB gridir_archives "${GRIDIR_PREFIX}/lib/libGridir*.a")

add_library(Gridir::Gridir INTERFACE IMPORTED)
gridir_link_mlir(Gridir::Gridir OFF ${gridir_archives})
target_include_directories(Gridir::Gridir SYSTEM INTERFACE "${GRIDIR_INCLUDE_DIRS}" ${MLIR_INCLUDE_DIRS}
                                                           ${LLVM_INCLUDE_DIRS})
separate_arguments(gridir_definitions UNIX_COMMAND "${LLVM_DEFINITIONS}")
target_compile_options(Gridir::Gridir INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti> ${gridir_definitions})
target_compile_features(Gridir::Gridir INTERFACE cxx_std_17)
