//===- TPUMemoryOps.td - Loads, stores and views ----------*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_TPU_IR_TPUMEMORYOPS_TD
#define GRIDIR_DIALECTS_TPU_IR_TPUMEMORYOPS_TD

include "dialects/TPU/IR/TPUAttrs.td"
include "dialects/TPU/IR/TPUTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"

//===----------------------------------------------------------------------===//
// Between memory and registers
//===----------------------------------------------------------------------===//

def TPU_VectorLoadOp : TPU_Op<"vector_load", [AttrSizedOperandSegments]> {
  let summary = "load a vector";
  let description = [{
    Loads as many elements as the result has, starting at `indices`; a result of
    lower rank omits leading dimensions. Masked elements are unspecified.
    `strides` is empty, since Mosaic supports no others.

    Example:

    ```mlir
    %v = tpu.vector_load %m[%i, %j] {strides = array<i32>}
        : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$base, Variadic<Index>:$indices,
                       DenseI32ArrayAttr:$strides, Optional<TPU_Vector>:$mask);
  let results = (outs TPU_Vector:$result);
  let assemblyFormat = [{
    $base `[` $indices `]` (`masked` $mask^)? attr-dict
    `:` type($base) `,` type($result) `,` type($mask)
  }];
  let hasVerifier = 1;
}

def TPU_VectorStoreOp : TPU_Op<"vector_store", [AttrSizedOperandSegments]> {
  let summary = "store a vector";
  let description = [{
    Stores to the elements from `indices` on, or adds to them with `add`. Masked
    elements keep their value.

    Example:

    ```mlir
    tpu.vector_store %m[%i, %j], %v {strides = array<i32>}
        : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
    ```
  }];
  let arguments = (ins TPU_Vector:$valueToStore, Arg<AnyMemRef, "", [MemWrite]>:$base,
                       Variadic<Index>:$indices, DenseI32ArrayAttr:$strides,
                       Optional<TPU_Vector>:$mask,
                       DefaultValuedAttr<BoolAttr, "false">:$add);
  let assemblyFormat = [{
    $base `[` $indices `]` `,` $valueToStore (`masked` $mask^)? attr-dict
    `:` type($base) `,` type($valueToStore) `,` type($mask)
  }];
  let hasVerifier = 1;
}

def TPU_StridedLoadOp : TPU_Op<"strided_load"> {
  let summary = "load every n-th element";
  let description = [{
    Dimension `i` of the result has the elements at `indices[i]` plus multiples of
    `strides[i]`.

    Example:

    ```mlir
    %v = tpu.strided_load %m[%i, %j] {strides = array<i32: 4, 1>}
        : memref<32x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$base, Variadic<Index>:$indices,
                       DenseI32ArrayAttr:$strides);
  let results = (outs TPU_Vector:$result);
  let assemblyFormat = "$base `[` $indices `]` attr-dict `:` type($base) `,` type($result)";
  let hasVerifier = 1;
}

def TPU_StridedStoreOp : TPU_Op<"strided_store"> {
  let summary = "store to every n-th element";
  let description = [{
    The reverse of `tpu.strided_load`.

    Example:

    ```mlir
    tpu.strided_store %m[%i, %j], %v {strides = array<i32: 4, 1>}
        : memref<32x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    ```
  }];
  let arguments = (ins TPU_Vector:$valueToStore, Arg<AnyMemRef, "", [MemWrite]>:$base,
                       Variadic<Index>:$indices, DenseI32ArrayAttr:$strides);
  let assemblyFormat = [{
    $base `[` $indices `]` `,` $valueToStore attr-dict `:` type($base) `,` type($valueToStore)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

def TPU_MemRefSliceOp : TPU_Op<"memref_slice", [
    Pure, AttrSizedOperandSegments, ViewLikeOpInterface]> {
  let summary = "a window of a memref";
  let description = [{
    The window begins at the indices; its sizes are those of the result, dynamic
    ones in order.

    Example:

    ```mlir
    %s = tpu.memref_slice %m[%i, %j]
        : memref<64x128xf32, #tpu.memory_space<any>> -> memref<8x128xf32, #tpu.memory_space<any>>
    ```
  }];
  let arguments = (ins AnyMemRef:$mem_ref, Variadic<I32>:$base_idx, Variadic<I32>:$dynamic_sizes);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = [{
    $mem_ref `[` $base_idx `]` (`<` $dynamic_sizes^ `>`)? attr-dict
    `:` type($mem_ref) `->` type($result)
  }];
  let extraClassDeclaration = [{
    ::mlir::Value getViewSource() { return getMemRef(); }
  }];
  let hasVerifier = 1;
}

class TPU_ViewOp<string mnemonic> : TPU_Op<mnemonic, [Pure, ViewLikeOpInterface]> {
  let arguments = (ins AnyMemRef:$input);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let extraClassDeclaration = [{
    ::mlir::Value getViewSource() { return getInput(); }
  }];
  let hasVerifier = 1;
}

def TPU_MemRefSqueezeOp : TPU_ViewOp<"memref_squeeze"> {
  let summary = "a memref without some of its unit dimensions";
  let description = [{
    Example:

    ```mlir
    %s = tpu.memref_squeeze %m : memref<1x8x128xf32, #tpu.memory_space<vmem>>
        -> memref<8x128xf32, #tpu.memory_space<vmem>>
    ```
  }];
}

def TPU_MemRefReshapeOp : TPU_ViewOp<"memref_reshape"> {
  let summary = "a view of a memref with another shape";
  let description = [{
    Example:

    ```mlir
    %s = tpu.memref_reshape %m : memref<16x128xf32, #tpu.memory_space<vmem>>
        -> memref<2x8x128xf32, #tpu.memory_space<vmem>>
    ```
  }];
}

def TPU_MemRefBitcastOp : TPU_ViewOp<"memref_bitcast"> {
  let summary = "a view of a memref with another element type";
  let description = [{
    Different widths change the second-to-last dimension.

    Example:

    ```mlir
    %s = tpu.memref_bitcast %m : memref<16x128xbf16, #tpu.memory_space<vmem>>
        -> memref<8x128xi32, #tpu.memory_space<vmem>>
    ```
  }];
}

#endif // GRIDIR_DIALECTS_TPU_IR_TPUMEMORYOPS_TD
