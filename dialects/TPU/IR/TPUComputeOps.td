//===- TPUComputeOps.td - Arithmetic and shapes of vectors --*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_TPU_IR_TPUCOMPUTEOPS_TD
#define GRIDIR_DIALECTS_TPU_IR_TPUCOMPUTEOPS_TD

include "dialects/TPU/IR/TPUAttrs.td"
include "dialects/TPU/IR/TPUTypes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

def TPU_MatmulOp : TPU_Op<"matmul", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "multiply matrices and add";
  let description = [{
    `transpose_lhs` and `transpose_rhs` are an older form of
    `dimension_numbers`. The accumulator has elements of 32 bits.

    Example:

    ```mlir
    %r = tpu.matmul %a, %b, %acc {
        dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>,
        transpose_lhs_hint = false}
        : vector<128x64xbf16>, vector<64x256xbf16>, vector<128x256xf32> -> vector<128x256xf32>
    ```
  }];
  let arguments = (ins TPU_Vector:$lhs, TPU_Vector:$rhs, TPU_Vector:$acc,
                       DefaultValuedAttr<BoolAttr, "false">:$transpose_lhs,
                       DefaultValuedAttr<BoolAttr, "false">:$transpose_rhs,
                       OptionalAttr<TPU_ContractPrecisionAttr>:$precision,
                       OptionalAttr<TPU_DotDimensionNumbersAttr>:$dimension_numbers,
                       BoolAttr:$transpose_lhs_hint);
  let results = (outs TPU_Vector:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc attr-dict
    `:` type($lhs) `,` type($rhs) `,` type($acc) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TPU_ReciprocalOp : TPU_Op<"reciprocal", [
    Pure, SameOperandsAndResultType, ElementwiseMappable]> {
  let summary = "one divided by every element";
  let description = [{
    With `approx` a few bits are wrong; `full_range = false` then also leaves
    results at the ends of the range undefined.

    Example:

    ```mlir
    %r = tpu.reciprocal %v {approx = true} : vector<8x128xf32> -> vector<8x128xf32>
    ```
  }];
  let arguments = (ins TPU_Vector:$input, DefaultValuedAttr<BoolAttr, "false">:$approx,
                       DefaultValuedAttr<BoolAttr, "true">:$full_range);
  let results = (outs TPU_Vector:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
}

def TPU_LogisticOp : TPU_Op<"logistic", [
    Pure, SameOperandsAndResultType, ElementwiseMappable]> {
  let summary = "the logistic function of every element";
  let description = [{
    Computes `1 / (1 + exp(-x))`. Chips since the v6e have an instruction for it;
    for others Mosaic expands it to a division.

    Example:

    ```mlir
    %r = tpu.logistic %v : vector<8x128xf32> -> vector<8x128xf32>
    ```
  }];
  let arguments = (ins TPU_Vector:$input);
  let results = (outs TPU_Vector:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
}

def TPU_ReduceIndexOp : TPU_Op<"reduce_index", [Pure]> {
  let summary = "argmax or argmin along a dimension";
  let description = [{
    The lowest index of equal elements wins. Indices of bf16 may have 16 bits.

    Example:

    ```mlir
    %r = tpu.reduce_index %v {axis = 1 : i32, kind = #tpu.reduction_kind<arg_max>}
        : vector<8x128xf32> -> vector<8xi32>
    ```
  }];
  let arguments = (ins TPU_Vector:$input, I32Attr:$axis, TPU_ReductionKindAttr:$kind);
  let results = (outs VectorOfNonZeroRankOf<[I16, I32]>:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
}

def TPU_IotaOp : TPU_Op<"iota", [Pure]> {
  let summary = "a vector of indices";
  let description = [{
    Counts from zero along the dimensions, flattened in the order in which they
    are listed.

    Example:

    ```mlir
    %v = tpu.iota {dimensions = array<i32: 1>} : vector<8x128xi32>
    ```
  }];
  let arguments = (ins DenseI32ArrayAttr:$dimensions);
  let results = (outs VectorOfNonZeroRankOf<[AnyInteger, Index]>:$output);
  let assemblyFormat = "attr-dict `:` type($output)";
  let hasVerifier = 1;
}

def TPU_WeirdOp : TPU_Op<"weird", [Pure, ElementwiseMappable]> {
  let summary = "whether an element is infinite or not a number";
  let description = [{
    Example:

    ```mlir
    %w = tpu.weird %v : vector<8x128xf32> -> vector<8x128xi1>
    ```
  }];
  let arguments = (ins AnyType:$input);
  let results = (outs AnyType:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

class TPU_ShapeOp<string mnemonic> : TPU_Op<mnemonic, [Pure]> {
  let hasVerifier = 1;
}

def TPU_TransposeOp : TPU_ShapeOp<"transpose"> {
  let summary = "permute the dimensions of a vector";
  let description = [{
    Dimension `i` of the result is dimension `permutation[i]` of the operand.

    Example:

    ```mlir
    %t = tpu.transpose %v, [1, 0] : vector<8x128xf32> -> vector<128x8xf32>
    ```
  }];
  let arguments = (ins AnyVectorOfAnyRank:$vector, DenseI64ArrayAttr:$permutation);
  let results = (outs AnyVectorOfAnyRank:$result);
  let assemblyFormat = "$vector `,` $permutation attr-dict `:` type($vector) `->` type($result)";
}

def TPU_ConcatenateOp : TPU_ShapeOp<"concatenate"> {
  let summary = "concatenate vectors";
  let description = [{
    Example:

    ```mlir
    %c = tpu.concatenate %a, %b in 1 : vector<8x128xf32>, vector<8x128xf32> -> vector<8x256xf32>
    ```
  }];
  let arguments = (ins Variadic<TPU_Vector>:$sources, I32Attr:$dimension);
  let results = (outs TPU_Vector:$output);
  let assemblyFormat = "$sources `in` $dimension attr-dict `:` type($sources) `->` type($output)";
}

def TPU_RepeatOp : TPU_ShapeOp<"repeat"> {
  let summary = "repeat a vector";
  let description = [{
    Example:

    ```mlir
    %r = tpu.repeat %v, 1 x 2 : vector<8x128xf32> -> vector<8x256xf32>
    ```
  }];
  let arguments = (ins TPU_Vector:$source, I32Attr:$dimension, I32Attr:$times);
  let results = (outs TPU_Vector:$output);
  let assemblyFormat = "$source `,` $dimension `x` $times attr-dict `:` type($source) `->` type($output)";
}

def TPU_BitcastOp : TPU_ShapeOp<"bitcast"> {
  let summary = "the same bits as another element type";
  let description = [{
    Different widths change the second-to-last dimension.

    Example:

    ```mlir
    %b = tpu.bitcast %v : vector<8x128xf32> -> vector<16x128xbf16>
    ```
  }];
  let arguments = (ins TPU_Vector:$input);
  let results = (outs TPU_Vector:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
}

def TPU_DynamicRotateOp : TPU_Op<"dynamic_rotate", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "rotate a vector along a dimension";
  let description = [{
    Element `i` goes to `i + amount`, around the end. With `stride`, row `j` of
    `stride_dimension` is rotated by `j * stride` more.

    Example:

    ```mlir
    %r = tpu.dynamic_rotate %v by %n dim 1 : vector<8x128xf32>, i32 -> vector<8x128xf32>
    ```
  }];
  let arguments = (ins TPU_Vector:$value, I32:$amount, SI32Attr:$dimension,
                       OptionalAttr<SI32Attr>:$stride, OptionalAttr<SI32Attr>:$stride_dimension);
  let results = (outs TPU_Vector:$result);
  let assemblyFormat = [{
    $value `by` $amount `dim` $dimension attr-dict `:` type($value) `,` type($amount) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TPU_DynamicGatherOp : TPU_ShapeOp<"dynamic_gather"> {
  let summary = "elements of a vector at a vector of indices";
  let description = [{
    The dimensions are flattened and indexed; the others are those of the
    indices.

    Example:

    ```mlir
    %g = tpu.dynamic_gather %v[%i] in [1] : vector<8x128xf32>, vector<8x128xi32> -> vector<8x128xf32>
    ```
  }];
  let arguments = (ins TPU_Vector:$source, VectorOfNonZeroRankOf<[AnyInteger]>:$indices,
                       DenseI32ArrayAttr:$dimensions);
  let results = (outs TPU_Vector:$output);
  let assemblyFormat = [{
    $source `[` $indices `]` `in` $dimensions attr-dict
    `:` type($source) `,` type($indices) `->` type($output)
  }];
}

#endif // GRIDIR_DIALECTS_TPU_IR_TPUCOMPUTEOPS_TD
