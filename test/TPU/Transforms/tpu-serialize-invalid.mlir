// RUN: gridir-opt %s --tpu-serialize=version=13 --split-input-file --verify-diagnostics
// RUN: gridir-opt %s --tpu-serialize=version=14 --split-input-file

// Features of later versions of the form.

func.func @copy(%s: memref<8x128xf32, #tpu.memory_space<any>>, %t: memref<8x128xf32, #tpu.memory_space<vmem>>, %q: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) {
  // expected-error @below {{expected no subcore in version 13 of Mosaic's form, got one}}
  tpu.enqueue_dma source(%s : memref<8x128xf32, #tpu.memory_space<any>>) target(%t : memref<8x128xf32, #tpu.memory_space<vmem>>) source_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) target_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) core_id(%n) subcore_id(%n)
  return
}

// -----

func.func @signal(%q: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) {
  // expected-error @below {{expected no subcore in version 13 of Mosaic's form, got one}}
  tpu.sem_signal %q, %n core_id %n subcore_id %n : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
  return
}
