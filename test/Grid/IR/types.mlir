// Every type, and every memory space that a Ref may have.
//
// RUN: gridir-opt %s | gridir-opt | FileCheck %s
// RUN: gridir-opt %s --emit-bytecode | gridir-opt | FileCheck %s

// CHECK-LABEL: func.func private @semaphores
// CHECK-SAME: memref<!grid.semaphore<regular>>, memref<2x!grid.semaphore<dma>, #grid.space<tpu.semaphore_mem>>, memref<!grid.semaphore<barrier>>
func.func private @semaphores(memref<!grid.semaphore<regular>>,
                              memref<2x!grid.semaphore<dma>, #grid.space<tpu.semaphore_mem>>,
                              memref<!grid.semaphore<barrier>>)

// CHECK-LABEL: func.func private @spaces
// CHECK-SAME: #grid.space<any>>, memref<f32, #grid.space<default>>, memref<f32, #grid.space<error>>, memref<f32, #grid.space<index>>, memref<f32, #grid.space<key>>, memref<f32, #grid.space<host>>
// CHECK-SAME: #grid.space<tpu.vmem>>, memref<f32, #grid.space<tpu.vmem_shared>>, memref<f32, #grid.space<tpu.smem>>, memref<f32, #grid.space<tpu.cmem>>, memref<f32, #grid.space<tpu.semaphore_mem>>, memref<f32, #grid.space<tpu.hbm>>
// CHECK-SAME: #grid.space<gpu.gmem>>, memref<f32, #grid.space<gpu.smem>>, memref<f32, #grid.space<gpu.tmem>>, memref<f32, #grid.space<gpu.regs>>
func.func private @spaces(memref<f32, #grid.space<any>>, memref<f32, #grid.space<default>>,
                          memref<f32, #grid.space<error>>, memref<f32, #grid.space<index>>,
                          memref<f32, #grid.space<key>>, memref<f32, #grid.space<host>>,
                          memref<f32, #grid.space<tpu.vmem>>, memref<f32, #grid.space<tpu.vmem_shared>>,
                          memref<f32, #grid.space<tpu.smem>>, memref<f32, #grid.space<tpu.cmem>>,
                          memref<f32, #grid.space<tpu.semaphore_mem>>, memref<f32, #grid.space<tpu.hbm>>,
                          memref<f32, #grid.space<gpu.gmem>>, memref<f32, #grid.space<gpu.smem>>,
                          memref<f32, #grid.space<gpu.tmem>>, memref<f32, #grid.space<gpu.regs>>)
