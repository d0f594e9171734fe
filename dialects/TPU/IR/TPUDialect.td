//===- TPUDialect.td - The tpu dialect --------------------*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_TPU_IR_TPUDIALECT_TD
#define GRIDIR_DIALECTS_TPU_IR_TPUDIALECT_TD

include "mlir/IR/OpBase.td"

def TPU_Dialect : Dialect {
  let name = "tpu";
  let cppNamespace = "::gridir::tpu";
  let summary = "Kernels in the conventions of the Mosaic TPU compiler";
  let description = [{
    The ops of Mosaic's `tpu` dialect that a kernel on a TensorCore needs, with
    Mosaic's names, attributes, operand segments and assembly format, so that
    jaxlib parses gridir's output and gridir parses that of JAX's lowering. A
    kernel also contains `arith`, `math`, `vector`, `memref` and `scf` ops on
    vectors.

    A module contains one function with `tpu.core_type = #tpu.core_type<tc>`,
    the kernel, and one function for each operand with blocks, which returns the
    indices of its block. `tpu-check-contract` verifies the attributes of the
    kernel function: `iteration_bounds`, `dimension_semantics`, `window_params`,
    `scalar_prefetch`, `scratch_operands`.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect"];
  let hasOperationAttrVerify = 1;
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

class TPU_Op<string mnemonic, list<Trait> traits = []> : Op<TPU_Dialect, mnemonic, traits>;

#endif // GRIDIR_DIALECTS_TPU_IR_TPUDIALECT_TD
