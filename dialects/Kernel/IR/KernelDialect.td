//===- KernelDialect.td - The kernel dialect --------------*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_KERNEL_IR_KERNELDIALECT_TD
#define GRIDIR_DIALECTS_KERNEL_IR_KERNELDIALECT_TD

include "mlir/IR/OpBase.td"

def Kernel_Dialect : Dialect {
  let name = "kernel";
  let cppNamespace = "::gridir::kernel";
  let summary = "The ABI of lowered kernels";
  let description = [{
    A runtime calls a kernel that has been lowered to functions, and needs more
    information than the types of its arguments. One op, `kernel.abi`, contains
    all of it, from the conversion of a `grid.kernel` to machine code.

    The ABI belongs to the module and not to a function: it must outlive the
    functions, which are converted, outlined for a GPU and compiled to a binary.

    Bytecode has the version of this dialect, which is the version of the ABI. A
    reader rejects every other version, since a runtime must not guess.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let discardableAttrs = (ins "::gridir::kernel::BufferAttr":$buffer,
                              "::gridir::kernel::MappingAttr":$mapping);
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

class Kernel_Op<string mnemonic, list<Trait> traits = []> : Op<Kernel_Dialect, mnemonic, traits>;

#endif // GRIDIR_DIALECTS_KERNEL_IR_KERNELDIALECT_TD
