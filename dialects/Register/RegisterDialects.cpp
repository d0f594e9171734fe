//===- RegisterDialects.cpp - The one list of dialects --------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Register/Register.h"

#include "dialects/Conversion/WarpgroupToLoops/WarpgroupToLoops.h"
#include "dialects/GPU/Target/GPUTarget.h"
#include "dialects/Grid/IR/Grid.h"
#include "dialects/Kernel/IR/Kernel.h"
#include "dialects/TPU/IR/MemorySpaces.h"
#include "dialects/TPU/IR/StableMosaic.h"
#include "dialects/TPU/IR/TPU.h"
#include "dialects/TPU/Target/TPUTarget.h"
#include "dialects/Warpgroup/IR/Warpgroup.h"
#include "dialects/Warpgroup/Inference/Exchanges.h"
#include "dialects/Warpgroup/Inference/LayoutFrame.h"
#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Async/IR/Async.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"

using namespace mlir;

void gridir::registerAllDialects(DialectRegistry &registry) {
  registry.insert<grid::GridDialect, kernel::KernelDialect,
                  tpu::StableMosaicDialect, tpu::TPUDialect,
                  warpgroup::WarpgroupDialect>();

  // clang-format off
  registry.insert<affine::AffineDialect,
                  amx::AMXDialect,
                  arith::ArithDialect,
                  async::AsyncDialect,
                  bufferization::BufferizationDialect,
                  cf::ControlFlowDialect,
                  complex::ComplexDialect,
                  DLTIDialect,
                  func::FuncDialect,
                  mlir::gpu::GPUDialect,
                  index::IndexDialect,
                  linalg::LinalgDialect,
                  LLVM::LLVMDialect,
                  math::MathDialect,
                  memref::MemRefDialect,
                  NVVM::NVVMDialect,
                  nvgpu::NVGPUDialect,
                  pdl::PDLDialect,
                  pdl_interp::PDLInterpDialect,
                  scf::SCFDialect,
                  tensor::TensorDialect,
                  transform::TransformDialect,
                  ub::UBDialect,
                  vector::VectorDialect,
                  x86vector::X86VectorDialect>();
  // clang-format on

  gridir::gpu::registerParamsModels(registry);
  tpu::registerParamsModels(registry);
  tpu::registerMemorySpaces(registry);
  registerWarpgroupToLoops(registry);
  warpgroup::registerExchangeModels(registry);
  warpgroup::registerLayoutModels(registry);
  registerAllInterfaces(registry);
}
