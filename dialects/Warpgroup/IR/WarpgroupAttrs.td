//===- WarpgroupAttrs.td - Attributes of the warpgroup dialect *- tablegen -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPATTRS_TD
#define GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPATTRS_TD

include "dialects/Warpgroup/IR/WarpgroupDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/TensorEncoding.td"

def Warpgroup_LayoutAttr : AttrDef<Warpgroup_Dialect, "Layout", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "layout";
  let summary = "the distribution of a tensor's elements over the threads of a "
                "warpgroup";
  let description = [{
    The encoding of a tensor in the registers of a warpgroup of 128 threads. It
    is a linear map over F2 from the bits of (register, lane, warp) to an index
    in a tile whose sizes are powers of two: the exclusive or of the basis
    vectors of the set bits. The tile repeats over the tensor, whose sizes are
    multiples of the tile's; each repetition is another group of registers, the
    last dimension fastest. There are 5 basis vectors for the bits of the lane
    and 2 for those of the warp. If the vector of a bit is zero, threads that
    differ in that bit hold the same elements.

    A one-dimensional tile may also distribute a tensor of another rank, in
    row-major order.

    Layouts that instructions require have names: `wgmma` is the accumulator of
    `wgmma`, `wgmma_8bit` its left operand of 8-bit elements, `strided(n)` gives
    consecutive threads `n` consecutive elements each, and `splat` is one
    register with the value of all elements.

    Example:

    ```mlir
    tensor<64x128xf32, #warpgroup.layout<wgmma>>
    tensor<1024xf16, #warpgroup.layout<strided(8)>>
    #warpgroup.layout<[512], registers = [[1], [256]], lanes = [[2], [4], [8], [16], [32]], warps = [[64], [128]]>
    ```
  }];
  let parameters = (ins OptionalArrayRefParameter<"int64_t">:$tile,
                        OptionalArrayRefParameter<"uint64_t">:$registers,
                        OptionalArrayRefParameter<"uint64_t">:$threads);
  let builders = [AttrBuilder<(ins "const ::gridir::warpgroup::Layout &":$layout)>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The layout with its algebra.
    ::gridir::warpgroup::Layout getLayout() const;
  }];
}

def Warpgroup_SharedLayoutAttr : AttrDef<Warpgroup_Dialect, "SharedLayout"> {
  let mnemonic = "shared_layout";
  let summary = "the panels of an array in shared memory";
  let description = [{
    `warpgroup-assign-shared-layouts` attaches an array of these to a
    `grid.scoped` as `warpgroup.shared_layouts`, with `unit` for Refs in
    row-major order.

    The columns, which are the last dimension, are divided into panels whose
    rows have `panel_bytes`: 16, 32, 64 or 128. `rows` is the dimension of the
    rows of a panel; dimensions between it and the columns count panels. Within
    a panel, bits of the number of the 128 bytes permute the pieces of 16 bytes,
    as the swizzle of that size does that tensor maps and MMAs have; rows of 16
    bytes have one piece.

    Example:

    ```mlir
    grid.scoped (%a: memref<2x64x128xbf16, #warpgroup.space<smem>>,
                 %b: memref<64xf32, #warpgroup.space<smem>>)
        attributes {warpgroup.shared_layouts = [#warpgroup.shared_layout<panel_bytes = 128, rows = 1>, unit]} {
    }
    ```
  }];
  let parameters = (ins "int64_t":$panelBytes, "int64_t":$rows);
  let assemblyFormat = "`<` `panel_bytes` `=` $panelBytes `,` `rows` `=` $rows `>`";
  let genVerifyDecl = 1;
}

def Warpgroup_RingPhaseAttr : AttrDef<Warpgroup_Dialect, "RingPhase"> {
  let mnemonic = "ring_phase";
  let summary = "the phases of waits that go round a ring of barriers";
  let description = [{
    `warpgroup-assign-phases` attaches it to a `barrier_wait`. In iteration `i`
    of the innermost `scf.for` around it, the op waits for barrier
    `(i + distance) mod size` of an allocation. The parity of the phase is that
    of `(i + distance) / size`, or the other one if `inverted`. `distance` is 0
    or 1.

    Example:

    ```mlir
    #warpgroup.ring_phase<size = 4, distance = 1>
    #warpgroup.ring_phase<size = 4, distance = 0, inverted = true>
    ```
  }];
  let parameters = (ins "int64_t":$size, "int64_t":$distance,
                        DefaultValuedParameter<"bool", "false">:$inverted);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Warpgroup_ScheduleAttr : AttrDef<Warpgroup_Dialect, "Schedule"> {
  let mnemonic = "schedule";
  let summary = "the division of a kernel's blocks over CTAs and warpgroups";
  let description = [{
    `warpgroup-choose-schedule` attaches it to a `grid.kernel` of blocks as
    `warpgroup.schedule`; an author can write it by hand.

    `cta` is the part of the first output's block that one CTA computes, and
    `warpgroup` the part of that which one warpgroup computes; both divide the
    sizes of the block. They are parts of a window of the output if the body
    accesses it only by windows of one shape. `shared` lists the operands, inputs before outputs,
    whose blocks are copied to shared memory; threads access all others in
    global memory. `stages` is the number of blocks of each shared operand that
    the CTA has buffers for. With one of `producers`, a further warpgroup starts
    bulk copies to shared memory; with none, the warpgroups that compute copy
    with `cp.async`.

    Example:

    ```mlir
    #warpgroup.schedule<cta = [4, 1024], warpgroup = [1, 1024]>
    #warpgroup.schedule<cta = [128, 128], warpgroup = [64, 128], shared = [0, 1], stages = 4>
    #warpgroup.schedule<cta = [64, 64], warpgroup = [64, 64], shared = [0, 1], stages = 2, producers = 0>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$cta,
                        ArrayRefParameter<"int64_t">:$warpgroup,
                        OptionalArrayRefParameter<"int64_t">:$shared,
                        DefaultValuedParameter<"int64_t", "1">:$stages,
                        DefaultValuedParameter<"int64_t", "1">:$producers);
  let assemblyFormat = [{
    `<` `cta` `=` `[` $cta `]` `,` `warpgroup` `=` `[` $warpgroup `]`
    `` custom<SharedCopies>($shared, $stages, $producers) `>`
  }];
  let genVerifyDecl = 1;
}

#endif // GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPATTRS_TD
