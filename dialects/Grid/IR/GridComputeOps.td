//===- GridComputeOps.td - Values that upstream dialects cannot compute --*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_IR_GRIDCOMPUTEOPS_TD
#define GRIDIR_DIALECTS_GRID_IR_GRIDCOMPUTEOPS_TD

include "dialects/Grid/IR/GridKernelOps.td"

def Grid_PrngState : Resource<"::gridir::grid::PrngStateResource">;
def Grid_Output : Resource<"::gridir::grid::OutputResource">;

def Grid_DotOp : Grid_Op<"dot", [Pure]> {
  let summary = "contract two tensors";
  let description = [{
    The result has the batch dimensions first, then the free dimensions of the
    left and of the right side, in order. Products are accumulated in the
    result's element type; `acc`, of the result's type, is added. `precision`
    names JAX's precision of each side, `algorithm` its `DotAlgorithmPreset`.
    Signless integers are signed unless `unsigned_lhs` or `unsigned_rhs` is set.

    Example:

    ```mlir
    %c = grid.dot %a, %b acc %c0 contract [2] x [2] batch [0] x [0]
        : tensor<2x8x16xbf16>, tensor<2x4x16xbf16>, tensor<2x8x4xf32> -> tensor<2x8x4xf32>
    ```
  }];
  let arguments = (ins
      Grid_NumberTensor:$lhs, Grid_NumberTensor:$rhs, Optional<Grid_NumberTensor>:$acc,
      DenseI64ArrayAttr:$lhs_contract, DenseI64ArrayAttr:$rhs_contract,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$lhs_batch,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$rhs_batch,
      OptionalAttr<StrArrayAttr>:$precision, OptionalAttr<StrAttr>:$algorithm,
      UnitAttr:$unsigned_lhs, UnitAttr:$unsigned_rhs);
  let results = (outs Grid_Value:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`acc` $acc^)? `contract` $lhs_contract `x` $rhs_contract
    (`batch` $lhs_batch^ `x` $rhs_batch)? (`precision` $precision^)? attr-dict
    `:` type($lhs) `,` type($rhs) (`,` type($acc)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

def Grid_BitcastOp : Grid_Op<"bitcast", [Pure]> {
  let summary = "the bits of a tensor as elements of another width";
  let description = [{
    The second-to-last dimension changes: the bits of element `[i, j]` of the
    wider type are, from the lowest on, elements `[n * i, j]` to
    `[n * i + n - 1, j]` of the narrower one. For elements of the same width use
    `arith.bitcast`.

    Example:

    ```mlir
    %w = grid.bitcast %x : tensor<16x128xbf16> -> tensor<8x128xi32>
    ```
  }];
  let arguments = (ins Grid_NumberTensor:$source);
  let results = (outs Grid_NumberTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Grid_RotateOp : Grid_Op<"rotate", [Pure, AllTypesMatch<["source", "result"]>]> {
  let summary = "rotate a tensor along a dimension";
  let description = [{
    Element `i` of dimension `dim` goes to `i + amount`, around the end, for an
    amount of either sign. With a stride, slice `j` of dimension `stride_dim` is
    rotated by `j * stride` more.

    Example:

    ```mlir
    %r = grid.rotate %x by %n dim 1 : tensor<8x128xf32>, i32
    %s = grid.rotate %x by %n dim 1 stride 2 along 0 : tensor<8x128xf32>, i32
    ```
  }];
  let arguments = (ins Grid_NumberTensor:$source, Grid_IndexLike:$amount, I64Attr:$dim,
                       OptionalAttr<I64Attr>:$stride, OptionalAttr<I64Attr>:$stride_dim);
  let results = (outs Grid_NumberTensor:$result);
  let assemblyFormat = [{
    $source `by` $amount `dim` $dim (`stride` $stride^ `along` $stride_dim)? attr-dict
    `:` type($source) `,` type($amount)
  }];
  let hasVerifier = 1;
}

def Grid_AssumeMultipleOp : Grid_Op<"assume_multiple", [
    Pure, SameOperandsAndResultType]> {
  let summary = "assert that a number is a multiple of another";
  let description = [{
    Returns its operand. A target may use the fact and need not check it.

    Example:

    ```mlir
    %j = grid.assume_multiple %i, 128 : i32
    ```
  }];
  let arguments = (ins Grid_IndexLike:$value, ConfinedAttr<I64Attr, [IntPositive]>:$multiple);
  let results = (outs Grid_IndexLike:$result);
  let assemblyFormat = "$value `,` $multiple attr-dict `:` type($value)";
  let hasFolder = 1;
}

def Grid_PrngSeedOp : Grid_Op<"prng_seed", [
    Grid_ProgramOpInterface, MemoryEffects<[MemWrite<Grid_PrngState>]>]> {
  let summary = "seed the random generator of the running program";
  let description = [{
    Example:

    ```mlir
    grid.prng_seed %a, %b : i32, i32
    ```
  }];
  let arguments = (ins Variadic<AnySignlessInteger>:$seeds);
  let assemblyFormat = "$seeds attr-dict `:` type($seeds)";
}

def Grid_PrngBitsOp : Grid_Op<"prng_bits", [
    Grid_ProgramOpInterface,
    MemoryEffects<[MemRead<Grid_PrngState>, MemWrite<Grid_PrngState>]>]> {
  let summary = "random bits from the generator of the running program";
  let description = [{
    Example:

    ```mlir
    %bits = grid.prng_bits : tensor<8x128xi32>
    ```
  }];
  let results = (outs Grid_Value:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Grid_PrintOp : Grid_Op<"print", [
    Grid_ProgramOpInterface, MemoryEffects<[MemWrite<Grid_Output>]>]> {
  let summary = "print values to the caller's standard output";
  let description = [{
    `{}` in the format, or `{:spec}` with a format specification of Python,
    stands for the next value, in order; `{{` and `}}` are braces. `is_unsigned`
    marks unsigned integer values.

    Example:

    ```mlir
    grid.print "x = {}" %x : tensor<8xf32>
    ```
  }];
  let arguments = (ins StrAttr:$format, Variadic<Grid_Value>:$values,
                       DefaultValuedAttr<DenseBoolArrayAttr, "{}">:$is_unsigned);
  let assemblyFormat = "$format ($values^ `:` type($values))? attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ProgramOrder getProgramOrder() {
      return {ProgramOrder::Required,
              "values are printed in the order of the programs"};
    }
  }];
}

def Grid_CallbackOp : Grid_Op<"callback", [
    Grid_ProgramOpInterface, MemoryEffects<[MemWrite<Grid_Output>]>]> {
  let summary = "call a function of the process that lowered the kernel";
  let description = [{
    The function receives the values as arrays after the call of the kernel, in
    the order in which programs called it and printed. The identity denotes one
    function of one process: another process, which has no function with that
    identity, rejects the kernel. `is_unsigned` is as for `grid.print`.

    Example:

    ```mlir
    grid.callback "5f0c93e1" %x : tensor<8xf32>
    ```
  }];
  let arguments = (ins StrAttr:$identity, Variadic<Grid_Value>:$values,
                       DefaultValuedAttr<DenseBoolArrayAttr, "{}">:$is_unsigned);
  let assemblyFormat = "$identity ($values^ `:` type($values))? attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ProgramOrder getProgramOrder() {
      return {ProgramOrder::Required,
              "a function is called in the order of the programs"};
    }
  }];
}

def Grid_AssertOp : Grid_Op<"assert", [
    Grid_ProgramOpInterface, MemoryEffects<[MemWrite<Grid_Output>]>]> {
  let summary = "fail the call unless a condition holds";
  let description = [{
    The error has the message, with up to two integers in place of `{0}` and
    `{1}`.

    Example:

    ```mlir
    grid.assert %ok, "block index {0} is negative"(%index : i32)
    ```
  }];
  let arguments = (ins I1:$condition, StrAttr:$message,
      Variadic<AnySignlessIntegerOrIndex>:$values);
  let assemblyFormat = [{
    $condition `,` $message (`(` $values^ `:` type($values) `)`)? attr-dict
  }];
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
}

#endif // GRIDIR_DIALECTS_GRID_IR_GRIDCOMPUTEOPS_TD
