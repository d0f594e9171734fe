// RUN: gridir-opt %s --split-input-file --verify-diagnostics

// What a copy, a semaphore and a region may not be: one broken thing in each chunk.

func.func @no_target_semaphore(%s: memref<8x128xf32, #tpu.memory_space<any>>, %t: memref<8x128xf32, #tpu.memory_space<vmem>>, %q: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) {
  // expected-error @below {{expected a target semaphore, got none}}
  tpu.enqueue_dma source(%s : memref<8x128xf32, #tpu.memory_space<any>>) target(%t : memref<8x128xf32, #tpu.memory_space<vmem>>)
  return
}

// -----

func.func @copy_of_another_type(%s: memref<8x128xf32, #tpu.memory_space<any>>, %t: memref<8x128xi32, #tpu.memory_space<vmem>>, %q: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {
  // expected-error @below {{expected source and target of one shape and element type, got 'memref<8x128xf32, #tpu.memory_space<any>>' and 'memref<8x128xi32, #tpu.memory_space<vmem>>'}}
  tpu.enqueue_dma source(%s : memref<8x128xf32, #tpu.memory_space<any>>) target(%t : memref<8x128xi32, #tpu.memory_space<vmem>>) target_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  return
}

// -----

func.func @target_semaphores(%s: memref<8x128xf32, #tpu.memory_space<any>>, %t: memref<8x128xf32, #tpu.memory_space<vmem>>, %q: memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {
  // expected-error @below {{expected the target semaphore to be of rank 0, got 'memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>'}}
  tpu.enqueue_dma source(%s : memref<8x128xf32, #tpu.memory_space<any>>) target(%t : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%q : memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  return
}

// -----

func.func @source_semaphores(%s: memref<8x128xf32, #tpu.memory_space<any>>, %t: memref<8x128xf32, #tpu.memory_space<vmem>>, %q: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32, %p: memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {
  // expected-error @below {{expected the source semaphore to be of rank 0}}
  tpu.enqueue_dma source(%s : memref<8x128xf32, #tpu.memory_space<any>>) target(%t : memref<8x128xf32, #tpu.memory_space<vmem>>) source_semaphore(%p : memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) target_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) device_id(%n)
  return
}

// -----

func.func @local_source_semaphore(%s: memref<8x128xf32, #tpu.memory_space<any>>, %t: memref<8x128xf32, #tpu.memory_space<vmem>>, %q: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) {
  // expected-error @below {{expected a device or a core beside the source semaphore, got none}}
  tpu.enqueue_dma source(%s : memref<8x128xf32, #tpu.memory_space<any>>) target(%t : memref<8x128xf32, #tpu.memory_space<vmem>>) source_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) target_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  return
}

// -----

func.func @no_source_semaphore_for_a_device(%s: memref<8x128xf32, #tpu.memory_space<any>>, %t: memref<8x128xf32, #tpu.memory_space<vmem>>, %q: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) {
  // expected-error @below {{expected a source semaphore for a copy to another device or core, got none}}
  tpu.enqueue_dma source(%s : memref<8x128xf32, #tpu.memory_space<any>>) target(%t : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) device_id(%n)
  return
}

// -----

func.func @no_source_semaphore_for_a_core(%s: memref<8x128xf32, #tpu.memory_space<any>>, %t: memref<8x128xf32, #tpu.memory_space<vmem>>, %q: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) {
  // expected-error @below {{expected a source semaphore for a copy to another device or core, got none}}
  tpu.enqueue_dma source(%s : memref<8x128xf32, #tpu.memory_space<any>>) target(%t : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) core_id(%n)
  return
}

// -----

func.func @subcore_of_a_device(%s: memref<8x128xf32, #tpu.memory_space<any>>, %t: memref<8x128xf32, #tpu.memory_space<vmem>>, %q: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) {
  // expected-error @below {{expected a core beside the subcore, got none}}
  tpu.enqueue_dma source(%s : memref<8x128xf32, #tpu.memory_space<any>>) target(%t : memref<8x128xf32, #tpu.memory_space<vmem>>) source_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) target_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) device_id(%n) subcore_id(%n)
  return
}

// -----

func.func @priority(%s: memref<8x128xf32, #tpu.memory_space<any>>, %t: memref<8x128xf32, #tpu.memory_space<vmem>>, %q: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) {
  // expected-error @below {{expected a priority of at least 0, got -1}}
  tpu.enqueue_dma source(%s : memref<8x128xf32, #tpu.memory_space<any>>) target(%t : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {priority = -1 : i32}
  return
}

// -----

func.func @awaited_semaphores(%s: memref<8x128xf32, #tpu.memory_space<any>>, %t: memref<8x128xf32, #tpu.memory_space<vmem>>, %q: memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {
  // expected-error @below {{expected the semaphore to be of rank 0}}
  tpu.wait_dma2 semaphore(%q : memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%s : memref<8x128xf32, #tpu.memory_space<any>>) dst(%t : memref<8x128xf32, #tpu.memory_space<vmem>>)
  return
}

// -----

func.func @signaled_semaphores(%q: memref<2x!tpu.semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) {
  // expected-error @below {{expected the semaphore to be of rank 0}}
  tpu.sem_signal %q, %n : memref<2x!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
  return
}

// -----

func.func @signaled_subcore(%q: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) {
  // expected-error @below {{expected a core beside the subcore, got none}}
  tpu.sem_signal %q, %n device_id %n subcore_id %n : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
  return
}

// -----

func.func @barriers() {
  // expected-error @below {{expected the semaphore to be of rank 0}}
  %q = tpu.sem_barrier : memref<2x!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
  return
}

// -----

func.func @multiple_of_nothing(%n: i32) {
  // expected-error @below {{expected a multiple of at least 1, got 0}}
  %0 = tpu.assume_multiple %n, 0 : i32
  return
}

// -----

func.func @yield() {
  // expected-error @below {{expected to yield 'i32', got}}
  %0 = "tpu.region"() ({
    "tpu.yield"() : () -> ()
  }) : () -> i32
  return
}

// -----

// What is at the edge of each rule and allowed.

func.func @good(%s: memref<8x128xf32, #tpu.memory_space<any>>, %t: memref<8x128xf32, #tpu.memory_space<vmem>>, %q: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) {
  tpu.enqueue_dma source(%s : memref<8x128xf32, #tpu.memory_space<any>>) target(%t : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {priority = 0 : i32}
  tpu.enqueue_dma source(%s : memref<8x128xf32, #tpu.memory_space<any>>) target(%t : memref<8x128xf32, #tpu.memory_space<vmem>>) source_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) target_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) core_id(%n) subcore_id(%n)
  %0 = tpu.assume_multiple %n, 1 : i32
  return
}
