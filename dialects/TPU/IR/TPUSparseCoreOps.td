//===- TPUSparseCoreOps.td - What a SparseCore does ------*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_TPU_IR_TPUSPARSECOREOPS_TD
#define GRIDIR_DIALECTS_TPU_IR_TPUSPARSECOREOPS_TD

include "dialects/TPU/IR/TPUAttrs.td"
include "dialects/TPU/IR/TPUTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// A kernel in `grid` may contain these ops, on tensors and Refs; Mosaic
/// receives vectors and memrefs.
def TPU_Lanes : AnyTypeOf<[TPU_Vector, AnyRankedTensor], "vector or tensor">;

//===----------------------------------------------------------------------===//
// Subcores and copies
//===----------------------------------------------------------------------===//

def TPU_BarrierOp : TPU_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "synchronize all subcores of a core";
  let description = [{
    Example:

    ```mlir
    tpu.barrier %id
    ```
  }];
  let arguments = (ins Index:$barrier_id);
  let assemblyFormat = "$barrier_id attr-dict";
}

def TPU_EnqueueIndirectDMAOp : TPU_Op<"enqueue_indirect_dma"> {
  let summary = "start a copy of rows by index";
  let description = [{
    The rows belong to the end that is not in the VMEM of the subcore, in the
    order of the rows of the other end with `offsets`. An offset that equals
    `offset_filter` names no row. With `add` the rows are added to the target.

    Example:

    ```mlir
    tpu.enqueue_indirect_dma source(%s : memref<64x16xi32, #tpu.memory_space<hbm>>)
        target(%t : memref<8x16xi32, #tpu.memory_space<vmem>>)
        offsets(%i : memref<8xi32, #tpu.memory_space<vmem>>)
        semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$source, Arg<AnyMemRef, "", [MemRead, MemWrite]>:$target,
                       Arg<AnyTypeOf<[AnyMemRef, TPU_Vector, AnyRankedTensor]>, "", [MemRead]>:$offsets,
                       Arg<AnyMemRef, "", [MemRead, MemWrite]>:$semaphore,
                       Optional<I32>:$offset_filter, DefaultValuedAttr<BoolAttr, "false">:$add);
  let assemblyFormat = [{
    `source` `(` $source `:` type($source) `)` `target` `(` $target `:` type($target) `)`
    `offsets` `(` $offsets `:` type($offsets) `)` `semaphore` `(` $semaphore `:` type($semaphore) `)`
    (`filter` `(` $offset_filter^ `)`)? attr-dict
  }];
}

def TPU_WaitIndirectDMAOp : TPU_Op<"wait_indirect_dma"> {
  let summary = "wait for a copy of rows";
  let description = [{
    Example:

    ```mlir
    tpu.wait_indirect_dma semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
        src(%s : memref<64x16xi32, #tpu.memory_space<hbm>>)
        dst(%t : memref<8x16xi32, #tpu.memory_space<vmem>>)
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead, MemWrite]>:$semaphore, Arg<AnyMemRef, "", [MemRead]>:$src,
                       Arg<AnyMemRef, "", [MemRead, MemWrite]>:$dst);
  let assemblyFormat = [{
    `semaphore` `(` $semaphore `:` type($semaphore) `)` `src` `(` $src `:` type($src) `)`
    `dst` `(` $dst `:` type($dst) `)` attr-dict
  }];
}

//===----------------------------------------------------------------------===//
// Memory at vectors of indices
//===----------------------------------------------------------------------===//

def TPU_VectorLoadIdxOp : TPU_Op<"vector_load_idx", [AttrSizedOperandSegments]> {
  let summary = "load the elements at vectors of indices";
  let description = [{
    There is a vector of indices for each dimension. Masked elements are
    unspecified.

    Example:

    ```mlir
    %v = tpu.vector_load_idx %m[%i] : memref<64xf32, #tpu.memory_space<vmem>>, vector<8xi32> -> vector<8xf32>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$base, Variadic<TPU_Lanes>:$indices,
                       Optional<TPU_Lanes>:$mask);
  let results = (outs TPU_Lanes:$value);
  let assemblyFormat = [{
    $base `[` $indices `]` (`masked` $mask^ `:` type($mask))? attr-dict
    `:` type($base) `,` type($indices) `->` type($value)
  }];
}

def TPU_VectorStoreIdxOp : TPU_Op<"vector_store_idx", [AttrSizedOperandSegments]> {
  let summary = "store to the elements at vectors of indices, or add to them";
  let description = [{
    Example:

    ```mlir
    tpu.vector_store_idx %v, %m[%i] {add = true}
        : vector<8xf32>, memref<64xf32, #tpu.memory_space<vmem>>, vector<8xi32>
    ```
  }];
  let arguments = (ins TPU_Lanes:$valueToStore, Arg<AnyMemRef, "", [MemRead, MemWrite]>:$base,
                       Variadic<TPU_Lanes>:$indices, Optional<TPU_Lanes>:$mask,
                       DefaultValuedAttr<BoolAttr, "false">:$add);
  let assemblyFormat = [{
    $valueToStore `,` $base `[` $indices `]` (`masked` $mask^ `:` type($mask))? attr-dict
    `:` type($valueToStore) `,` type($base) `,` type($indices)
  }];
}

//===----------------------------------------------------------------------===//
// Across the lanes of a register
//===----------------------------------------------------------------------===//

def TPU_ScanOp : TPU_Op<"scan", [Pure]> {
  let summary = "prefix sums or extrema of lanes";
  let description = [{
    Masked lanes do not take part. Integers are unsigned.

    Example:

    ```mlir
    %s = tpu.scan %v, %k {kind = #tpu.reduction_kind<sum>} : vector<8xi32>, vector<8xi1> -> vector<8xi32>
    ```
  }];
  let arguments = (ins TPU_Lanes:$input, TPU_Lanes:$mask, TPU_ReductionKindAttr:$kind);
  let results = (outs TPU_Lanes:$output);
  let assemblyFormat = "$input `,` $mask attr-dict `:` type($input) `,` type($mask) `->` type($output)";
}

def TPU_SortOp : TPU_Op<"sort", [Pure]> {
  let summary = "sort the lanes of two registers by the first";
  let description = [{
    Masked lanes come last. Integers are unsigned.

    Example:

    ```mlir
    %m, %k, %v = tpu.sort %keys, %values, %mask {descending = false}
        : vector<8xi32>, vector<8xf32>, vector<8xi1> -> vector<8xi1>, vector<8xi32>, vector<8xf32>
    ```
  }];
  let arguments = (ins TPU_Lanes:$keys, TPU_Lanes:$values, TPU_Lanes:$mask,
                       DefaultValuedAttr<BoolAttr, "false">:$descending);
  let results = (outs TPU_Lanes:$output_mask, TPU_Lanes:$sorted_keys, TPU_Lanes:$sorted_values);
  let assemblyFormat = [{
    $keys `,` $values `,` $mask attr-dict `:` type($keys) `,` type($values) `,` type($mask)
    `->` type($output_mask) `,` type($sorted_keys) `,` type($sorted_values)
  }];
}

def TPU_ScanCountOp : TPU_Op<"scan_count", [Pure]> {
  let summary = "count the earlier occurrences of the value of each lane";
  let description = [{
    The resulting mask has the last lane of each value.

    Example:

    ```mlir
    %m, %n = tpu.scan_count %mask, %v : vector<8xi1>, vector<8xi32> -> vector<8xi1>, vector<8xi32>
    ```
  }];
  let arguments = (ins TPU_Lanes:$in_mask, TPU_Lanes:$values);
  let results = (outs TPU_Lanes:$out_mask, TPU_Lanes:$counts);
  let assemblyFormat = [{
    $in_mask `,` $values attr-dict `:` type($in_mask) `,` type($values)
    `->` type($out_mask) `,` type($counts)
  }];
}

def TPU_AllReduceOp : TPU_Op<"all_reduce", [Pure]> {
  let summary = "reduce a mask to a number, in every lane";
  let description = [{
    The number of true lanes, or the index of the first one.

    Example:

    ```mlir
    %n = tpu.all_reduce %m {dim = 0 : i64, kind = #tpu.reduction_kind<sum>} : vector<8xi1> -> vector<8xi32>
    ```
  }];
  let arguments = (ins TPU_Lanes:$input, I64Attr:$dim, TPU_ReductionKindAttr:$kind);
  let results = (outs TPU_Lanes:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
}

#endif // GRIDIR_DIALECTS_TPU_IR_TPUSPARSECOREOPS_TD
