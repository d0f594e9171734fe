# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Finds MLIR and LLVM, and defines the two targets through which gridir uses them:
#
#   GridirMLIRHeaders  include directories and definitions
#   GridirMLIR         what the native library links

find_package(MLIR 22.1 REQUIRED CONFIG)
message(STATUS "MLIR ${LLVM_PACKAGE_VERSION} in ${MLIR_DIR}")
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)
include(MLIRDetectPythonEnv)
mlir_configure_python_dev_packages()
include(AddMLIRPython)
include(GridirLinkMLIR)
gridir_make_tblgen_executable()

add_library(GridirMLIRHeaders INTERFACE)
target_include_directories(GridirMLIRHeaders SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
separate_arguments(llvm_definitions UNIX_COMMAND "${LLVM_DEFINITIONS}")
target_compile_options(GridirMLIRHeaders INTERFACE ${llvm_definitions})
if(LLVM_ENABLE_ASSERTIONS)
  # Headers of LLVM change with NDEBUG: a user of a build with assertions must have them too.
  target_compile_options(GridirMLIRHeaders INTERFACE -UNDEBUG)
endif()
# TableGen and the sources of the Python bindings read the include path of the directory.
include_directories("${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}")
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})

add_library(GridirMLIR INTERFACE)
gridir_link_mlir(GridirMLIR ${GRIDIR_SHARED_MLIR})
