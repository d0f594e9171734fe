//===- KernelOps.td - The op of the kernel dialect --------*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_KERNEL_IR_KERNELOPS_TD
#define GRIDIR_DIALECTS_KERNEL_IR_KERNELOPS_TD

include "dialects/Kernel/IR/KernelAttrs.td"
include "dialects/Kernel/IR/KernelDialect.td"
include "mlir/IR/SymbolInterfaces.td"

def Kernel_Count : ConfinedAttr<I64Attr, [IntNonNegative]>;
class Kernel_List<Attr base> : DefaultValuedAttr<base, "{}">;
def Kernel_Sites : TypedArrayAttrBase<AnyAttrOf<[Kernel_PrintAttr, Kernel_CallbackAttr]>,
                                      "sites that print or call a function">;
def Kernel_SharedMemory : TypedArrayAttrBase<Kernel_SharedAttr, "memory that tasks share">;
def Kernel_Params : TypedArrayAttrBase<
    AnyAttrOf<[Kernel_OperandAttr, Kernel_ReportAttr, Kernel_ScalarAttr, Kernel_NumItemsAttr,
               Kernel_WorkspaceAttr, Kernel_ZeroedAttr, Kernel_TensorMapAttr]>,
    "parameters of a GPU kernel">;
def Kernel_PackedOperands : TypedArrayAttrBase<Kernel_PackedAttr, "packed operands">;
def Kernel_Unwritten : TypedArrayAttrBase<Kernel_UnwrittenAttr, "operands without contents">;

def Kernel_ABIOp
    : Kernel_Op<"abi", [HasParent<"::mlir::ModuleOp">,
                        DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the calling convention of a kernel";
  let description = [{
    A module has one such op. `@entry` is the kernel: a function of its
    operands, the four words of an error report, a range of work items and the
    memory that the target adds; or the module of a GPU, or its binary, that
    contains a function of that name. `@entry.range` returns the number of work
    items.

    A field that a later pass sets is absent until then, and a reader reports
    its absence: no size has a default. An empty list is not written. Unknown
    attributes are rejected.

    | field | meaning | written by |
    | --- | --- | --- |
    | `arena_bytes` | memory that each thread of a CPU allocates for the kernel's buffers | `cpu-plan-arena` |
    | `shared_bytes` | shared memory of a CTA | `gpu-plan-memory`, `convert-warpgroup-to-nvvm` |
    | `workspace_bytes` | global memory for each CTA | `gpu-plan-memory` |
    | `num_threads` | threads of a CTA | `gpu-map-threads`, `convert-warpgroup-to-nvvm` |
    | `num_ctas` | CTAs of a launch; absent for a dynamic grid | `gpu-outline-kernel`, `convert-warpgroup-to-nvvm` |
    | `cluster_ctas` | CTAs of a cluster; absent where each CTA is one | `convert-warpgroup-to-nvvm` |
    | `cancels_clusters` | CTAs take over the work of clusters that have not started | `convert-warpgroup-to-nvvm` |
    | `params` | the parameters of a GPU kernel, in order | `gpu-outline-kernel`, `convert-warpgroup-to-nvvm` |
    | `packed_operands` | operands whose elements share bytes in bulk copies | `convert-warpgroup-to-nvvm` |
    | `updates_parts_of_words` | the kernel updates parts of words of 32 bits, and so accesses all words that an operand reaches into | `convert-warpgroup-to-nvvm` |
    | `register_products` | `wgmma` instructions read an operand from registers, which `ptxas` before 13.3 may reuse too early | `convert-warpgroup-to-nvvm` |
    | `profile_scopes` | the names of scopes whose events are at the beginning of the zeroed memory: 32-bit words for each CTA and trace; absent without a profile | `convert-warpgroup-to-nvvm` |
    | `profile_traces` | traces of a CTA: one for each warpgroup, or for each warp | `convert-warpgroup-to-nvvm` |
    | `profile_events` | events that a trace has room for, each a begin or an end of a scope | `convert-warpgroup-to-nvvm` |
    | `profile_dir` | the directory that the author wants a file of the traces in | `convert-warpgroup-to-nvvm` |
    | `profile_truncates` | a trace with more events than it has room for is written up to there; absent where it is an error | `convert-warpgroup-to-nvvm` |
    | `shares` | a call with a negative range counts the finer work items | `convert-grid-to-loops` |
    | `tasks` | work items may wait for one another; absent where each runs to its end | `convert-grid-to-loops` |
    | `shared_memory` | memory that tasks share, by how many share it | `cpu-plan-arena` |
    | `grid` | with checks of tasks, the programs along each dimension; negative for the next of the first operands | `convert-grid-to-loops` |
    | `zeroed_operands` | operands of tasks that are zero when the kernel begins: semaphores that a call makes | `convert-grid-to-loops` |
    | `aligned_operands` | operands that must begin at a multiple of 64 bytes | `cpu-stream-stores` |
    | `unwritten_operands` | with checks of accesses, the operands that hold nothing when the kernel begins | `convert-grid-to-loops` |
    | `diagnostics` | messages of the error report, with `{0}` and `{1}` for its two values | `convert-grid-to-loops` |
    | `prints` | sites that print or call a function | `convert-grid-to-loops` |
    | `accesses` | with checks of accesses, the author's description of each | `convert-grid-to-loops` |

    Example:

    ```mlir
    module {
      kernel.abi @double arena_bytes = 64
      func.func @double(%x: memref<8xf32>, %status: memref<4xi64>, %lo: index, %hi: index,
                        %arena: memref<64xi8>) {
        return
      }
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$entry,
                       OptionalAttr<Kernel_Count>:$arena_bytes,
                       OptionalAttr<Kernel_Count>:$shared_bytes,
                       OptionalAttr<Kernel_Count>:$workspace_bytes,
                       OptionalAttr<Kernel_Count>:$num_threads,
                       OptionalAttr<Kernel_Count>:$num_ctas,
                       OptionalAttr<Kernel_Count>:$cluster_ctas,
                       UnitAttr:$cancels_clusters,
                       Kernel_List<Kernel_Params>:$params,
                       Kernel_List<Kernel_PackedOperands>:$packed_operands,
                       UnitAttr:$updates_parts_of_words,
                       UnitAttr:$register_products,
                       OptionalAttr<StrArrayAttr>:$profile_scopes,
                       OptionalAttr<Kernel_Count>:$profile_traces,
                       OptionalAttr<Kernel_Count>:$profile_events,
                       OptionalAttr<StrAttr>:$profile_dir,
                       UnitAttr:$profile_truncates,
                       UnitAttr:$shares,
                       OptionalAttr<Kernel_TasksAttr>:$tasks,
                       Kernel_List<Kernel_SharedMemory>:$shared_memory,
                       Kernel_List<DenseI64ArrayAttr>:$grid,
                       Kernel_List<DenseI64ArrayAttr>:$zeroed_operands,
                       Kernel_List<DenseI64ArrayAttr>:$aligned_operands,
                       Kernel_List<Kernel_Unwritten>:$unwritten_operands,
                       Kernel_List<StrArrayAttr>:$diagnostics,
                       Kernel_List<Kernel_Sites>:$prints,
                       Kernel_List<StrArrayAttr>:$accesses);
  let builders = [OpBuilder<(ins "::llvm::StringRef":$entry), [{
    $_state.getOrAddProperties<Properties>().entry =
        ::mlir::FlatSymbolRefAttr::get($_builder.getContext(), entry);
  }]>];
  let assemblyFormat = [{
    $entry (`arena_bytes` `=` $arena_bytes^)?
    (`shared_bytes` `=` $shared_bytes^)?
    (`workspace_bytes` `=` $workspace_bytes^)?
    (`num_threads` `=` $num_threads^)?
    (`num_ctas` `=` $num_ctas^)?
    (`cluster_ctas` `=` $cluster_ctas^)?
    (`cancels_clusters` $cancels_clusters^)?
    (`params` `=` $params^)?
    (`packed_operands` `=` $packed_operands^)?
    (`updates_parts_of_words` $updates_parts_of_words^)?
    (`register_products` $register_products^)?
    (`profile_scopes` `=` $profile_scopes^)?
    (`profile_traces` `=` $profile_traces^)?
    (`profile_events` `=` $profile_events^)?
    (`profile_dir` `=` $profile_dir^)?
    (`profile_truncates` $profile_truncates^)?
    (`shares` $shares^)?
    (`tasks` `=` $tasks^)?
    (`shared_memory` `=` $shared_memory^)?
    (`grid` `=` $grid^)?
    (`zeroed_operands` `=` $zeroed_operands^)?
    (`aligned_operands` `=` $aligned_operands^)?
    (`unwritten_operands` `=` $unwritten_operands^)?
    (`diagnostics` `=` $diagnostics^)?
    (`prints` `=` $prints^)?
    (`accesses` `=` $accesses^)?
    attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The function of the entry, or a reported failure where there is none of
    /// that kind with a body.
    template <typename FuncT>
    ::mlir::FailureOr<FuncT> getEntryFunction() {
      return getFunction<FuncT>(getEntry());
    }

    /// The function that gives the number of work items, likewise.
    template <typename FuncT>
    ::mlir::FailureOr<FuncT> getRangeFunction() {
      return getFunction<FuncT>(getRangeName());
    }

    /// The name of the function that gives the number of work items.
    std::string getRangeName() { return (getEntry() + ".range").str(); }

  private:
    template <typename FuncT>
    ::mlir::FailureOr<FuncT> getFunction(::llvm::StringRef name) {
      auto function = ::llvm::dyn_cast_if_present<FuncT>(
          ::mlir::SymbolTable::lookupSymbolIn((*this)->getParentOp(), name));
      if (function && !function.isExternal())
        return function;
      return emitError() << "expected a function @" << name << " with a body";
    }
  }];
}

#endif // GRIDIR_DIALECTS_KERNEL_IR_KERNELOPS_TD
