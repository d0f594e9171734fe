//===- FfiHandler.h - How XLA calls a kernel ------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_FFIHANDLER_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_FFIHANDLER_H

namespace gridir::cpu {

/// Addresses for `jax.ffi.register_ffi_target` and `register_ffi_type`.
struct FfiTarget {
  void *instantiate;
  void *execute;
  /// The stages of calls whose programs reach other devices.
  void *instantiateCollective;
  void *executeCollective;
  void *typeId;
  void *typeInfo;
};

FfiTarget getFfiTarget();

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_FFIHANDLER_H
