//===- TPUEnums.td - Enumerations of the tpu dialect ------*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_TPU_IR_TPUENUMS_TD
#define GRIDIR_DIALECTS_TPU_IR_TPUENUMS_TD

include "dialects/TPU/IR/TPUDialect.td"
include "mlir/IR/EnumAttr.td"

// The numbers are Mosaic's: bytecode of attributes relies on them.
class TPU_I32Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::gridir::tpu";
  let genSpecializedAttr = 0;
}

def TPU_MemorySpace : TPU_I32Enum<"MemorySpace", "a memory of a TPU", [
    I32EnumAttrCase<"Any", 4294967295, "any">,
    I32EnumAttrCase<"Vmem", 0, "vmem">,
    I32EnumAttrCase<"Smem", 1, "smem">,
    I32EnumAttrCase<"Hbm", 2, "hbm">,
    I32EnumAttrCase<"Cmem", 3, "cmem">,
    I32EnumAttrCase<"SemaphoreMem", 4, "semaphore_mem">,
    I32EnumAttrCase<"VmemShared", 5, "vmem_shared">,
    I32EnumAttrCase<"Host", 6, "host">]>;

def TPU_CoreType : TPU_I32Enum<"CoreType", "a core of a TPU", [
    I32EnumAttrCase<"Tc", 0, "tc">,
    I32EnumAttrCase<"ScScalarSubcore", 1, "sc_scalar_subcore">,
    I32EnumAttrCase<"ScVectorSubcore", 2, "sc_vector_subcore">]>;

def TPU_DimensionSemantics : TPU_I32Enum<"DimensionSemantics",
    "the order of the programs along a dimension", [
    I32EnumAttrCase<"Parallel", 0, "parallel">,
    I32EnumAttrCase<"Arbitrary", 1, "arbitrary">,
    I32EnumAttrCase<"CoreParallel", 2, "core_parallel">,
    I32EnumAttrCase<"SubcoreParallel", 3, "subcore_parallel">]>;

def TPU_PipelineMode : TPU_I32Enum<"PipelineMode", "the number of blocks of an "
                                                   "operand that are held", [
    I32EnumAttrCase<"Synchronous", 1, "synchronous">,
    I32EnumAttrCase<"DoubleBuffered", 2, "double_buffered">]>;

def TPU_RevisitMode : TPU_I32Enum<"RevisitMode", "when an output block may be visited again", [
    I32EnumAttrCase<"Immediate", 0, "immediate">,
    I32EnumAttrCase<"Any", 1, "any">]>;

def TPU_ContractPrecision : TPU_I32Enum<"ContractPrecision", "the precision of "
                                                             "the products of "
                                                             "a matmul", [
    I32EnumAttrCase<"BF16", 0, "bf16">,
    I32EnumAttrCase<"FP32", 1, "fp32">]>;

def TPU_ReductionKind : TPU_I32Enum<"ReductionKind", "the kind of a reduction", [
    I32EnumAttrCase<"Sum", 0, "sum">,
    I32EnumAttrCase<"Max", 1, "max">,
    I32EnumAttrCase<"Min", 2, "min">,
    I32EnumAttrCase<"ArgMax", 3, "arg_max">,
    I32EnumAttrCase<"ArgMin", 4, "arg_min">,
    I32EnumAttrCase<"FindFirstSet", 5, "find_first_set">]>;

class TPU_EnumAttr<EnumInfo info, string mnemonic> : EnumAttr<TPU_Dialect, info, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

def TPU_CoreTypeAttr : TPU_EnumAttr<TPU_CoreType, "core_type"> {
  let summary = "the core on which a kernel runs";
  let description = [{
    The value of `tpu.core_type` on the function that is the kernel.

    Example:

    ```mlir
    #tpu.core_type<tc>
    ```
  }];
}
def TPU_DimensionSemanticsAttr : TPU_EnumAttr<TPU_DimensionSemantics, "dimension_semantics"> {
  let summary = "semantics of one grid dimension";
  let description = [{
    Example:

    ```mlir
    #tpu.dimension_semantics<parallel>
    ```
  }];
}
def TPU_PipelineModeAttr : TPU_EnumAttr<TPU_PipelineMode, "pipeline_mode"> {
  let summary = "the number of blocks of an operand that are held";
  let description = [{
    Example:

    ```mlir
    #tpu.pipeline_mode<synchronous>
    ```
  }];
}
def TPU_RevisitModeAttr : TPU_EnumAttr<TPU_RevisitMode, "revisit_mode"> {
  let summary = "when an output block may be visited again";
  let description = [{
    Example:

    ```mlir
    #tpu.revisit_mode<immediate>
    ```
  }];
}
def TPU_ContractPrecisionAttr : TPU_EnumAttr<TPU_ContractPrecision, "contract_precision"> {
  let summary = "the precision of the products of a matmul";
  let description = [{
    Example:

    ```mlir
    #tpu.contract_precision<fp32>
    ```
  }];
}
def TPU_ReductionKindAttr : TPU_EnumAttr<TPU_ReductionKind, "reduction_kind"> {
  let summary = "the kind of a reduction";
  let description = [{
    Example:

    ```mlir
    #tpu.reduction_kind<arg_max>
    ```
  }];
}

#endif // GRIDIR_DIALECTS_TPU_IR_TPUENUMS_TD
