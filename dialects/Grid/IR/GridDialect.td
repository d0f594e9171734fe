//===- GridDialect.td - The grid dialect ------------------*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_IR_GRIDDIALECT_TD
#define GRIDIR_DIALECTS_GRID_IR_GRIDDIALECT_TD

include "mlir/IR/OpBase.td"

def Grid_Dialect : Dialect {
  let name = "grid";
  let cppNamespace = "::gridir::grid";
  let summary = "Block-structured array kernels over a grid of programs";
  let description = [{
    The `grid` dialect represents the parts of a Pallas kernel for which
    upstream has no ops: a grid of programs, the division of operands into
    blocks, Refs with memory spaces, asynchronous copies and semaphores. The
    rest of a kernel uses upstream dialects: values are scalars and `tensor`s,
    computed by `arith`, `math`, `linalg` and `tensor`; control flow is `scf`.

    A Ref is a `memref` with an identity layout and a `#grid.space` memory
    space. Kernel operands record JAX's element type (`ui32`, `i1`, `i4`,
    `f8E4M3FN`); the Refs and values of a body are signless.
  }];
  let dependentDialects = [
    "::gridir::kernel::KernelDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"
  ];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

#endif // GRIDIR_DIALECTS_GRID_IR_GRIDDIALECT_TD
