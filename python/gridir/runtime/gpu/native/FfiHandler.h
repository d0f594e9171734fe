//===- FfiHandler.h - How XLA launches a kernel on a GPU ------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_GPU_NATIVE_FFIHANDLER_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_GPU_NATIVE_FFIHANDLER_H

namespace gridir::cuda {

/// Addresses for `jax.ffi.register_ffi_target` and `register_ffi_type`.
struct FfiTarget {
  void *instantiate;
  void *initialize;
  void *execute;
  /// As `execute`, for calls that XLA may record in a command buffer.
  void *executeRecorded;
  void *typeId;
  void *typeInfo;
};

FfiTarget getFfiTarget();

} // namespace gridir::cuda

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_GPU_NATIVE_FFIHANDLER_H
