//===- GridAttrs.td - Attributes of the grid dialect ------*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_IR_GRIDATTRS_TD
#define GRIDIR_DIALECTS_GRID_IR_GRIDATTRS_TD

include "dialects/Grid/IR/GridDialect.td"
include "dialects/Grid/IR/GridEnums.td"
include "mlir/IR/AttrTypeBase.td"

class Grid_Attr<string name, string attrMnemonic> : AttrDef<Grid_Dialect, name> {
  let mnemonic = attrMnemonic;
}

class Grid_OptionalAttr<string type> : OptionalParameter<"::mlir::" # type>;
def Grid_OptionalInt : OptionalParameter<"std::optional<int64_t>">;

//===----------------------------------------------------------------------===//
// The grid and its blocks
//===----------------------------------------------------------------------===//

def Grid_DimAttr : Grid_Attr<"Dim", "dim"> {
  let summary = "one dimension of a grid";
  let description = [{
    The size is a number of programs, or `?` if the call defines it. A dimension
    may have a name, may come from `jax.vmap`, and belongs to a hardware level.

    Example:

    ```mlir
    #grid.dim<?>
    #grid.dim<4 named "rows" vmapped cluster>
    ```
  }];
  let parameters = (ins "int64_t":$size, Grid_OptionalAttr<"StringAttr">:$name,
                        "bool":$vmapped, "DimKind":$kind);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    bool isDynamic() const { return ::mlir::ShapedType::isDynamic(getSize()); }

    /// The part of the assembly that stands between the angle brackets, which
    /// a kernel prints for each of its dimensions.
    static DimAttr parseBody(::mlir::AsmParser &parser);
    void printBody(::mlir::AsmPrinter &printer) const;
  }];
}

def Grid_BlockDimAttr : Grid_Attr<"BlockDim", "block_dim"> {
  let summary = "how one dimension of an array is divided into blocks";
  let description = [{
    - `128`: blocks of 128 elements, the index counts blocks;
    - `squeezed`: one element, absent from the Ref, the index counts elements;
    - `element(66, 1, 1)`: a window of 66 elements of the array padded by 1 below
      and 1 above, the index counts elements;
    - `slice(8)`: at most 8 elements, the index map gives start and size;
    - `indirect(4)`: 4 elements that the index map gathers.

    Example:

    ```mlir
    #grid.block_dim<element(66, 1, 1)>
    ```
  }];
  let parameters = (ins "BlockKind":$kind, "int64_t":$size,
                        "int64_t":$padLow, "int64_t":$padHigh);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static BlockDimAttr parseBody(::mlir::AsmParser &parser);
    void printBody(::mlir::AsmPrinter &printer) const;

    /// Squeezed dimensions are absent from the Ref.
    bool isSqueezed() const { return getKind() == BlockKind::Squeezed; }

    /// The number of index map results that this dimension takes.
    unsigned getNumIndices() const {
      return getKind() == BlockKind::BoundedSlice ? 2 : 1;
    }
  }];
}

def Grid_PipelineModeAttr : Grid_Attr<"PipelineMode", "pipeline"> {
  let summary = "how the blocks of an operand are buffered";
  let description = [{
    `buffers` blocks are in flight; `lookahead` fetches the next changed block
    as soon as a buffer is free; `revisit` specifies when an output block may be
    visited again. For an operand that is read and written, `buffers` counts the
    buffers for reads and `write_buffers` those for results. `prefetched` is the
    number of buffers that hold blocks before the first program runs.

    Example:

    ```mlir
    #grid.pipeline<3, lookahead, revisit = any>
    #grid.pipeline<2, write_buffers = 2, prefetched = 1>
    ```
  }];
  let parameters = (ins "int64_t":$buffers, "bool":$lookahead,
                        "std::optional<RevisitMode>":$revisit,
                        "std::optional<int64_t>":$writeBuffers,
                        "int64_t":$prefetched);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The number of blocks that there is memory for. A block that is read and
    /// then written needs one buffer at that time.
    int64_t getNumBlocks() const {
      return getBuffers() + getWriteBuffers().value_or(1) - 1;
    }
  }];
}

def Grid_TransformAttr : Grid_Attr<"Transform", "transform"> {
  let summary = "one step from the block of an array to the Ref of a kernel";
  let description = [{
    `tiling`, `untiling` and `transpose` take one number per dimension, `swizzle`
    and `unswizzle` the number of bytes.

    Example:

    ```mlir
    #grid.transform<tiling [8, 64]>
    #grid.transform<swizzle [128]>
    ```
  }];
  let parameters = (ins EnumParameter<Grid_TransformKind>:$kind,
                        ArrayRefParameter<"int64_t">:$values);
  let assemblyFormat = "`<` $kind `[` $values `]` `>`";
  let genVerifyDecl = 1;
}

def Grid_OperandAttr : Grid_Attr<"Operand", "operand"> {
  let summary = "an array operand of a kernel and its division into blocks";
  let description = [{
    Contains JAX's `BlockMapping` except for the index map, which is a region of
    the kernel. The element type is JAX's own, with its sign. A dimension of the
    shape is a number, or a string that names a symbol bound at the call.
    Without `block` the whole array is the block. `space` is the memory space of
    the block, `origin` the path of the parameter, and `index_tree` the
    structure of the index map's results if it is not a plain tuple.

    Example:

    ```mlir
    #grid.operand<f32 [512, ?n] block [128, squeezed] space #tpu.memory_space<vmem> pipeline <2>>
    ```
  }];
  let parameters = (ins "::mlir::Type":$elementType,
                        "::mlir::ArrayAttr":$shape,
                        OptionalArrayRefParameter<"BlockDimAttr">:$block,
                        "MemorySpaceAttrInterface":$space,
                        OptionalParameter<"PipelineModeAttr">:$pipeline,
                        OptionalArrayRefParameter<"TransformAttr">:$transforms,
                        Grid_OptionalAttr<"StringAttr">:$origin,
                        Grid_OptionalAttr<"StringAttr">:$indexTree);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The assembly between the angle brackets. A kernel puts the index map
    /// after its block.
    static OperandAttr parseBody(::mlir::AsmParser &parser,
                                 ::llvm::function_ref<::mlir::ParseResult()> parseIndexMap = {});
    void printBody(::mlir::AsmPrinter &printer,
                   ::llvm::function_ref<void()> printIndexMap = {}) const;

    /// Extents of the array; a symbolic one is `ShapedType::kDynamic`.
    ::llvm::SmallVector<int64_t> getArrayShape() const;
    int64_t getRank() const { return getShape().size(); }

    /// The array as a tensor of its element type, with the sign dropped: the
    /// type of a `grid.call` operand.
    ::mlir::RankedTensorType getArrayType() const;

    /// How each dimension is cut; whole dimensions where there is no block.
    ::llvm::SmallVector<BlockDimAttr> getBlockDims() const;

    /// The extents of a block, squeezed dimensions included as 1.
    ::llvm::SmallVector<int64_t> getBlockShape() const;

    /// The Ref that the body sees: squeezed dimensions dropped, element type
    /// without sign, transforms applied.
    ::mlir::MemRefType getRefType() const;

    /// The number of results that the index map must have.
    unsigned getNumIndices() const;

    /// The name for diagnostics: the origin, or `fallback`.
    std::string getName(::llvm::StringRef fallback) const;
  }];
}

//===----------------------------------------------------------------------===//
// Attributes of the whole kernel
//===----------------------------------------------------------------------===//

def Grid_CostAttr : Grid_Attr<"Cost", "cost"> {
  let summary = "the author's estimate of a kernel's cost";
  let description = [{
    Counts for one call of the kernel: floating-point operations, transcendental
    operations, bytes moved, and bytes moved between devices.

    Example:

    ```mlir
    #grid.cost<flops = 8, transcendentals = 0, bytes_accessed = 96, remote_bytes_transferred = 0>
    ```
  }];
  let parameters = (ins "int64_t":$flops, "int64_t":$transcendentals,
                        "int64_t":$bytes_accessed,
                        "int64_t":$remote_bytes_transferred);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Grid_OperandMemoryAttr : Grid_Attr<"OperandMemory", "operand_memory"> {
  let summary = "the memory that the blocks of an operand take";
  let description = [{
    `space` is the name of the memory space of `buffers` buffers, each of `block_bytes`
    bytes. `fetches` is the number of grid steps at which the block changes; it
    is absent for a dynamic grid.

    Example:

    ```mlir
    #grid.operand_memory<name = "x_ref", space = "tpu.vmem", block_bytes = 4096, buffers = 2, fetches = 8>
    ```
  }];
  let parameters = (ins "::mlir::StringAttr":$name,
                        "::mlir::StringAttr":$space,
                        "int64_t":$block_bytes, "int64_t":$buffers,
                        Grid_OptionalInt:$fetches);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getBytes() const { return getBlockBytes() * getBuffers(); }
  }];
}

def Grid_SpaceMemoryAttr : Grid_Attr<"SpaceMemory", "space_memory"> {
  let summary = "the bytes that a kernel holds in a memory space";
  let description = [{
    Example:

    ```mlir
    #grid.space_memory<"tpu.vmem", 360960>
    ```
  }];
  let parameters = (ins "::mlir::StringAttr":$space,
                        "int64_t":$bytes);
  let assemblyFormat = "`<` $space `,` $bytes `>`";
  let genVerifyDecl = 1;
}

def Grid_MemoryPlanAttr : Grid_Attr<"MemoryPlan", "memory_plan"> {
  let summary = "the memory that a kernel holds on a target";
  let description = [{
    `operands` has the memory of each operand, in the order of the parameters.
    `spaces` has the bytes that are held at the same time in each space: buffers
    of operands, scratch, and Refs of scopes.

    Example:

    ```mlir
    #grid.memory_plan<"tpu" operands[<name = "x", space = "any", block_bytes = 8, buffers = 2>] spaces[<"any", 16>]>
    ```
  }];
  let parameters = (ins "::mlir::StringAttr":$target,
                        OptionalArrayRefParameter<"OperandMemoryAttr">:$operands,
                        OptionalArrayRefParameter<"SpaceMemoryAttr">:$spaces);
  let assemblyFormat = "`<` $target (`operands` `[` $operands^ `]`)? (`spaces` `[` $spaces^ `]`)? `>`";
}

def Grid_TpuParamsAttr : Grid_Attr<"TpuParams", "tpu_params"> {
  let summary = "`CompilerParams` of JAX's Mosaic TPU backend";
  let description = [{
    An absent field has the default of `CompilerParams` in JAX 0.10.
    `has_side_effects` is a boolean or the name of a `SideEffectType`, and
    `opt_level` is "O0" to "O3".

    Example:

    ```mlir
    #grid.tpu_params<dimension_semantics = ["parallel", "arbitrary"], vmem_limit_bytes = 1048576>
    ```
  }];
  let parameters = (ins
      Grid_OptionalAttr<"ArrayAttr">:$dimension_semantics,
      Grid_OptionalAttr<"ArrayAttr">:$allow_input_fusion,
      Grid_OptionalInt:$vmem_limit_bytes,
      Grid_OptionalInt:$collective_id,
      Grid_OptionalAttr<"Attribute">:$has_side_effects,
      Grid_OptionalAttr<"DictionaryAttr">:$flags,
      Grid_OptionalInt:$internal_scratch_in_bytes,
      Grid_OptionalInt:$serialization_format,
      Grid_OptionalAttr<"StringAttr">:$kernel_type,
      Grid_OptionalAttr<"BoolAttr">:$disable_bounds_checks,
      Grid_OptionalAttr<"BoolAttr">:$disable_semaphore_checks,
      Grid_OptionalAttr<"BoolAttr">:$skip_device_barrier,
      Grid_OptionalAttr<"BoolAttr">:$allow_collective_id_without_custom_barrier,
      Grid_OptionalAttr<"BoolAttr">:$shape_invariant_numerics,
      Grid_OptionalAttr<"BoolAttr">:$use_tc_tiling_on_sc,
      Grid_OptionalAttr<"BoolAttr">:$needs_layout_passes,
      Grid_OptionalAttr<"BoolAttr">:$fuse_transposed_lhs_in_matmul,
      Grid_OptionalAttr<"StringAttr">:$opt_level);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Grid_MosaicGpuParamsAttr : Grid_Attr<"MosaicGpuParams", "mosaic_gpu_params"> {
  let summary = "`CompilerParams` of JAX's Mosaic GPU backend";
  let description = [{
    An absent field has the default of `CompilerParams` in JAX 0.10. The
    frontend always writes `lowering_semantics`, whose default JAX 0.11 changed.

    Example:

    ```mlir
    #grid.mosaic_gpu_params<approx_math = true, lowering_semantics = "Warpgroup">
    ```
  }];
  let parameters = (ins
      Grid_OptionalAttr<"BoolAttr">:$approx_math,
      Grid_OptionalAttr<"ArrayAttr">:$dimension_semantics,
      Grid_OptionalInt:$max_concurrent_steps,
      Grid_OptionalInt:$delay_release,
      Grid_OptionalAttr<"BoolAttr">:$unsafe_no_auto_barriers,
      Grid_OptionalInt:$reduction_scratch_bytes,
      Grid_OptionalInt:$profile_space,
      Grid_OptionalAttr<"StringAttr">:$profile_dir,
      Grid_OptionalAttr<"StringAttr">:$profile_trace_scope,
      Grid_OptionalAttr<"BoolAttr">:$profile_bounds_check,
      Grid_OptionalAttr<"StringAttr">:$lowering_semantics,
      Grid_OptionalAttr<"BoolAttr">:$skip_device_barrier,
      Grid_OptionalAttr<"BoolAttr">:$is_multi_process);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Grid_TritonParamsAttr : Grid_Attr<"TritonParams", "triton_params"> {
  let summary = "`CompilerParams` of JAX's Triton backend";
  let description = [{
    The target chooses the value of an absent field.

    Example:

    ```mlir
    #grid.triton_params<num_warps = 4, num_stages = 2>
    ```
  }];
  let parameters = (ins Grid_OptionalInt:$num_warps, Grid_OptionalInt:$num_stages);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // GRIDIR_DIALECTS_GRID_IR_GRIDATTRS_TD
