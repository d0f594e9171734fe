//===- TPUTypes.td - Types of the tpu dialect -------------*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_TPU_IR_TPUTYPES_TD
#define GRIDIR_DIALECTS_TPU_IR_TPUTYPES_TD

include "dialects/TPU/IR/TPUDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"

class TPU_Type<string name, string typeMnemonic>
    : TypeDef<TPU_Dialect, name, [DeclareTypeInterfaceMethods<MemRefElementTypeInterface>]> {
  let mnemonic = typeMnemonic;
}

def TPU_SemaphoreType : TPU_Type<"Semaphore", "semaphore"> {
  let summary = "a counter that cores signal and wait for";
  let description = [{
    Example:

    ```mlir
    memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
    ```
  }];
}

def TPU_DMASemaphoreType : TPU_Type<"DMASemaphore", "dma_semaphore"> {
  let summary = "a counter of the bytes that copies have moved";
  let description = [{
    Example:

    ```mlir
    memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
    ```
  }];
}

def TPU_Vector : VectorOfNonZeroRankOf<[AnyType]>;
def TPU_RegularSemaphore : MemRefOf<[TPU_SemaphoreType]>;
def TPU_DMASemaphore : MemRefOf<[TPU_DMASemaphoreType]>;
def TPU_AnySemaphore : MemRefOf<[TPU_SemaphoreType, TPU_DMASemaphoreType]>;

#endif // GRIDIR_DIALECTS_TPU_IR_TPUTYPES_TD
