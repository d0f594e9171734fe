//===- TPUAsyncOps.td - Copies and semaphores -------------*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_TPU_IR_TPUASYNCOPS_TD
#define GRIDIR_DIALECTS_TPU_IR_TPUASYNCOPS_TD

include "dialects/TPU/IR/TPUAttrs.td"
include "dialects/TPU/IR/TPUTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TPU_EnqueueDMAOp : TPU_Op<"enqueue_dma", [AttrSizedOperandSegments]> {
  let summary = "start a copy";
  let description = [{
    `target_semaphore` counts the arrived data. A copy to another device or core
    also counts the sent data on `source_semaphore`.

    Example:

    ```mlir
    tpu.enqueue_dma source(%s : memref<8x128xf32, #tpu.memory_space<any>>)
        target(%t : memref<8x128xf32, #tpu.memory_space<vmem>>)
        target_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$source,
                       Arg<Optional<TPU_AnySemaphore>, "", [MemWrite]>:$source_semaphore,
                       Arg<AnyMemRef, "", [MemWrite]>:$target,
                       Arg<Optional<TPU_AnySemaphore>, "", [MemWrite]>:$target_semaphore,
                       Optional<I32>:$device_id, Optional<I32>:$core_id, Optional<I32>:$subcore_id,
                       DefaultValuedAttr<I32Attr, "0">:$priority,
                       DefaultValuedAttr<BoolAttr, "false">:$strict_ordering);
  let assemblyFormat = [{
    `source` `(` $source `:` type($source) `)` `target` `(` $target `:` type($target) `)`
    (`source_semaphore` `(` $source_semaphore^ `:` type($source_semaphore) `)`)?
    (`target_semaphore` `(` $target_semaphore^ `:` type($target_semaphore) `)`)?
    (`device_id` `(` $device_id^ `)`)? (`core_id` `(` $core_id^ `)`)?
    (`subcore_id` `(` $subcore_id^ `)`)? attr-dict
  }];
  let hasVerifier = 1;
}

def TPU_WaitDMA2Op : TPU_Op<"wait_dma2", [AttrSizedOperandSegments]> {
  let summary = "wait for a copy";
  let description = [{
    Waits until the semaphore has counted the bytes of `dst`.

    Example:

    ```mlir
    tpu.wait_dma2 semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
        src(%s : memref<8x128xf32, #tpu.memory_space<any>>)
        dst(%t : memref<8x128xf32, #tpu.memory_space<vmem>>)
    ```
  }];
  let arguments = (ins Arg<TPU_DMASemaphore, "", [MemRead, MemWrite]>:$semaphore,
                       Arg<AnyMemRef, "", [MemRead]>:$src,
                       Arg<AnyMemRef, "", [MemRead, MemWrite]>:$dst,
                       Optional<I32>:$device_id, Optional<I32>:$core_id,
                       DefaultValuedAttr<BoolAttr, "false">:$strict_ordering);
  let assemblyFormat = [{
    `semaphore` `(` $semaphore `:` type($semaphore) `)` `src` `(` $src `:` type($src) `)`
    `dst` `(` $dst `:` type($dst) `)` (`device_id` `(` $device_id^ `)`)?
    (`core_id` `(` $core_id^ `)`)? attr-dict
  }];
  let hasVerifier = 1;
}

def TPU_WaitDMAOp : TPU_Op<"wait_dma", [AttrSizedOperandSegments]> {
  let summary = "wait for a copy, with the operands that started it";
  let description = [{
    JAX's lowering emits it since version 15 of the format. Waits until
    `target_semaphore` has counted the arrived data; without `wait_target`,
    until `source_semaphore` has counted the sent data.

    Example:

    ```mlir
    tpu.wait_dma source(%s : memref<8x128xf32, #tpu.memory_space<any>>)
        target(%t : memref<8x128xf32, #tpu.memory_space<vmem>>)
        target_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
        {wait_target = true}
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$source,
                       Arg<Optional<TPU_AnySemaphore>, "", [MemRead, MemWrite]>:$source_semaphore,
                       Arg<AnyMemRef, "", [MemRead, MemWrite]>:$target,
                       Arg<Optional<TPU_AnySemaphore>, "", [MemRead, MemWrite]>:$target_semaphore,
                       Optional<I32>:$device_id, Optional<I32>:$core_id, Optional<I32>:$subcore_id,
                       DefaultValuedAttr<I32Attr, "0">:$priority,
                       DefaultValuedAttr<BoolAttr, "false">:$strict_ordering,
                       BoolAttr:$wait_target);
  let assemblyFormat = [{
    `source` `(` $source `:` type($source) `)` `target` `(` $target `:` type($target) `)`
    (`source_semaphore` `(` $source_semaphore^ `:` type($source_semaphore) `)`)?
    (`target_semaphore` `(` $target_semaphore^ `:` type($target_semaphore) `)`)?
    (`device_id` `(` $device_id^ `)`)? (`core_id` `(` $core_id^ `)`)?
    (`subcore_id` `(` $subcore_id^ `)`)? attr-dict
  }];
  let hasVerifier = 1;
}

def TPU_SemaphoreSignalOp : TPU_Op<"sem_signal", [AttrSizedOperandSegments]> {
  let summary = "add to a semaphore, here or elsewhere";
  let description = [{
    Example:

    ```mlir
    tpu.sem_signal %q, %n device_id %d : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
    ```
  }];
  let arguments = (ins Arg<TPU_RegularSemaphore, "", [MemRead, MemWrite]>:$semaphore, I32:$amount,
                       Optional<I32>:$device_id, Optional<I32>:$core_id, Optional<I32>:$subcore_id);
  let assemblyFormat = [{
    $semaphore `,` $amount (`device_id` $device_id^)? (`core_id` $core_id^)?
    (`subcore_id` $subcore_id^)? attr-dict `:` type($semaphore)
  }];
  let hasVerifier = 1;
}

def TPU_SemaphoreWaitOp : TPU_Op<"sem_wait"> {
  let summary = "wait until a semaphore reaches a number, and subtract it";
  let description = [{
    Example:

    ```mlir
    tpu.sem_wait %q, %n : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
    ```
  }];
  let arguments = (ins Arg<TPU_RegularSemaphore, "", [MemRead, MemWrite]>:$semaphore, I32:$amount);
  let assemblyFormat = "$semaphore `,` $amount attr-dict `:` type($semaphore)";
  let hasVerifier = 1;
}

def TPU_SemaphoreReadOp : TPU_Op<"sem_read"> {
  let summary = "read the value of a semaphore";
  let description = [{
    Example:

    ```mlir
    %n = tpu.sem_read %q : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>> -> i32
    ```
  }];
  let arguments = (ins Arg<TPU_AnySemaphore, "", [MemRead]>:$semaphore);
  let results = (outs I32:$result);
  let assemblyFormat = "$semaphore attr-dict `:` type($semaphore) `->` type($result)";
}

def TPU_AllocaSemaphoreOp : TPU_Op<"sem_alloc"> {
  let summary = "allocate semaphores until the end of the region";
  let description = [{
    Example:

    ```mlir
    %q = tpu.sem_alloc : memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
    ```
  }];
  let results = (outs Res<TPU_AnySemaphore, "", [MemAlloc]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def TPU_GetBarrierSemaphoreOp : TPU_Op<"sem_barrier"> {
  let summary = "the semaphore that the kernels of a collective share";
  let description = [{
    Example:

    ```mlir
    %q = tpu.sem_barrier : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
    ```
  }];
  let results = (outs TPU_RegularSemaphore:$semaphore);
  let assemblyFormat = "attr-dict `:` type($semaphore)";
  let hasVerifier = 1;
}

#endif // GRIDIR_DIALECTS_TPU_IR_TPUASYNCOPS_TD
