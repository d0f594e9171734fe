//===- Passes.td - Conversions between dialects -----------*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_PASSES_TD
#define GRIDIR_DIALECTS_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertGridToLoopsPass : Pass<"convert-grid-to-loops", "::mlir::ModuleOp"> {
  let summary = "Turn a kernel into a function that loops over its grid";
  let description = [{
    Replaces the module's `grid.kernel` by two functions. `@k` takes the whole
    arrays, the four words of an error report, and a range of work items. A work
    item is one point of the parallel grid dimensions; the other dimensions are
    loops inside, in grid order. `@k.range` gives the number of work items.

    A block is a view of its array where it lies inside, and a padded private
    buffer where it overhangs: the valid part is copied in before the program,
    and out after it when the kernel may write it. Values that a kernel loads stay
    values: a load is copied where a store could change it before its last use.

    What can only be checked while the kernel runs (an index into a Ref, a block
    outside its array, a wait that nothing satisfies) is stored in the error
    report, whose messages are the module attribute `gridir.diagnostics`, and the
    program goes on with a safe index.

    Before:

    ```mlir
    grid.kernel @double grid(%i = 4)
        inputs(%x: f32 [512] block [128] at (%i))
        outputs(%o: f32 [512] block [128] at (%i)) semantics [parallel] {
      %v = grid.load %x : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
      %w = arith.addf %v, %v : tensor<128xf32>
      grid.store %w, %o : tensor<128xf32>, memref<128xf32, #grid.space<default>>
    }
    ```

    After:

    ```mlir
    module attributes {gridir.kernel = "double", gridir.diagnostics = []} {
      func.func @double(%x: memref<512xf32> {llvm.noalias}, %o: memref<512xf32> {llvm.noalias},
                        %status: memref<4xi64>, %lo: index, %hi: index) {
        %c1 = arith.constant 1 : index
        %c128 = arith.constant 128 : index
        scf.for %i = %lo to %hi step %c1 {
          %start = arith.muli %i, %c128 : index
          %xs = memref.subview %x[%start] [128] [1]
              : memref<512xf32> to memref<128xf32, strided<[1], offset: ?>>
          %os = memref.subview %o[%start] [128] [1]
              : memref<512xf32> to memref<128xf32, strided<[1], offset: ?>>
          %v = bufferization.to_tensor %xs restrict
              : memref<128xf32, strided<[1], offset: ?>> to tensor<128xf32>
          %w = arith.addf %v, %v : tensor<128xf32>
          bufferization.materialize_in_destination %w in restrict writable %os
              : (tensor<128xf32>, memref<128xf32, strided<[1], offset: ?>>) -> ()
        }
        return
      }
      func.func @double.range(%x: memref<512xf32>, %o: memref<512xf32>) -> index {
        %n = arith.constant 4 : index
        return %n : index
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::complex::ComplexDialect", "::mlir::func::FuncDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numBlocksInPlace", "num-blocks-in-place",
              "Number of blocks proved to lie inside their arrays">,
    Statistic<"numBlocksTested", "num-blocks-tested",
              "Number of blocks that are tested while the kernel runs">,
    Statistic<"numSlicesProved", "num-slices-proved",
              "Number of slices proved to lie inside their Refs">,
    Statistic<"numSlicesChecked", "num-slices-checked",
              "Number of slices that are checked while the kernel runs">,
    Statistic<"numLoadsCopied", "num-loads-copied",
              "Number of loaded values kept from a later store by a copy">
  ];
}

#endif // GRIDIR_DIALECTS_CONVERSION_PASSES_TD
