# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# find_package(Gridir) defines Gridir::Gridir: gridir's dialects, passes, pipelines and registration, with the MLIR that
# they need, for a tool or a library of your own.

include(CMakeFindDependencyMacro)
find_dependency(MLIR 22.1)
include("${CMAKE_CURRENT_LIST_DIR}/GridirLinkMLIR.cmake")

get_filename_component(GRIDIR_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(GRIDIR_INCLUDE_DIRS "${GRIDIR_PREFIX}/include")
file(GLOB gridir_archives "${GRIDIR_PREFIX}/lib/libGridir*.a")

add_library(Gridir::Gridir INTERFACE IMPORTED)
gridir_link_mlir(Gridir::Gridir OFF ${gridir_archives})
target_include_directories(Gridir::Gridir SYSTEM INTERFACE "${GRIDIR_INCLUDE_DIRS}" ${MLIR_INCLUDE_DIRS}
                                                           ${LLVM_INCLUDE_DIRS})
separate_arguments(gridir_definitions UNIX_COMMAND "${LLVM_DEFINITIONS}")
target_compile_options(Gridir::Gridir INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti> ${gridir_definitions})
target_compile_features(Gridir::Gridir INTERFACE cxx_std_17)
