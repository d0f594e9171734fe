# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Finds the Python that the bindings are built for, and what its packages bring:
# the MLIR prefix, nanobind, and the FFI headers of jaxlib.

if(Python3_EXECUTABLE AND NOT Python_EXECUTABLE)
  set(Python_EXECUTABLE "${Python3_EXECUTABLE}" CACHE FILEPATH "Python that the bindings are built for")
endif()
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
# MLIR looks for `Python3` and nanobind for `Python`: both must be the same one.
set(Python_EXECUTABLE "${Python_EXECUTABLE}" CACHE FILEPATH "Python that the bindings are built for" FORCE)
set(Python3_EXECUTABLE "${Python_EXECUTABLE}" CACHE FILEPATH "Python that the bindings are built for" FORCE)

# Sets `variable` to the first path below the entries of sys.path at which `relative` exists,
# or keeps it if it is set and exists. Packages are found without being imported.
function(gridir_find_in_python_path variable relative)
  if(${variable} AND EXISTS "${${variable}}")
    return()
  endif()
  execute_process(
    COMMAND "${Python_EXECUTABLE}" -c
            "import os, sys; print(next((p + '/${relative}' for p in sys.path if p and os.path.exists(p + '/${relative}')), ''), end='')"
    OUTPUT_VARIABLE path COMMAND_ERROR_IS_FATAL ANY)
  if(path)
    set(${variable} "${path}" CACHE PATH "Found in the packages of ${Python_EXECUTABLE}" FORCE)
  endif()
endfunction()

gridir_find_in_python_path(MLIR_DIR "mlir/lib/cmake/mlir")
gridir_find_in_python_path(LLVM_DIR "llvm/lib/cmake/llvm")
gridir_find_in_python_path(nanobind_DIR "nanobind/cmake")
# tools/install.py installs these headers into the build directory, apart from the jaxlib that runs.
if(NOT GRIDIR_XLA_FFI_INCLUDE_DIR AND EXISTS "${PROJECT_SOURCE_DIR}/build/xla-ffi/jaxlib/include")
  set(GRIDIR_XLA_FFI_INCLUDE_DIR "${PROJECT_SOURCE_DIR}/build/xla-ffi/jaxlib/include" CACHE PATH "XLA's FFI headers")
endif()
gridir_find_in_python_path(GRIDIR_XLA_FFI_INCLUDE_DIR "jaxlib/include")
if(NOT EXISTS "${GRIDIR_XLA_FFI_INCLUDE_DIR}/xla/ffi/api/ffi.h")
  message(FATAL_ERROR "expected XLA's FFI headers in jaxlib/include of ${Python_EXECUTABLE}; "
                      "install jaxlib or set GRIDIR_XLA_FFI_INCLUDE_DIR")
endif()
