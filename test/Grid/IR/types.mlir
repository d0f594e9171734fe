// Every type, and every memory space that a Ref may have.
//
// RUN: gridir-opt %s | gridir-opt | FileCheck %s
// RUN: gridir-opt %s --emit-bytecode | gridir-opt | FileCheck %s

// CHECK-LABEL: func.func private @semaphores
// CHECK-SAME: memref<!grid.semaphore<regular>>, memref<2x!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>, memref<!grid.semaphore<barrier>>
func.func private @semaphores(memref<!grid.semaphore<regular>>,
                              memref<2x!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>,
                              memref<!grid.semaphore<barrier>>)

// CHECK-LABEL: func.func private @spaces
// CHECK-SAME: #grid.space<any>>, memref<f32, #grid.space<default>>, memref<f32, #grid.space<error>>, memref<f32, #grid.space<index>>, memref<f32, #grid.space<key>>, memref<f32, #grid.space<host>>
// CHECK-SAME: #tpu.memory_space<vmem>>, memref<f32, #tpu.memory_space<vmem_shared>>, memref<f32, #tpu.memory_space<smem>>, memref<f32, #tpu.memory_space<cmem>>, memref<f32, #tpu.memory_space<semaphore_mem>>, memref<f32, #tpu.memory_space<hbm>>
// CHECK-SAME: #warpgroup.space<gmem>>, memref<f32, #warpgroup.space<smem>>, memref<f32, #warpgroup.space<tmem>>, memref<f32, #warpgroup.space<regs>>
func.func private @spaces(memref<f32, #grid.space<any>>, memref<f32, #grid.space<default>>,
                          memref<f32, #grid.space<error>>, memref<f32, #grid.space<index>>,
                          memref<f32, #grid.space<key>>, memref<f32, #grid.space<host>>,
                          memref<f32, #tpu.memory_space<vmem>>, memref<f32, #tpu.memory_space<vmem_shared>>,
                          memref<f32, #tpu.memory_space<smem>>, memref<f32, #tpu.memory_space<cmem>>,
                          memref<f32, #tpu.memory_space<semaphore_mem>>, memref<f32, #tpu.memory_space<hbm>>,
                          memref<f32, #warpgroup.space<gmem>>, memref<f32, #warpgroup.space<smem>>,
                          memref<f32, #warpgroup.space<tmem>>, memref<f32, #warpgroup.space<regs>>)
