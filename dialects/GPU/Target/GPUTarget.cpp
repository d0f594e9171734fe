//===- GPUTarget.cpp - an NVIDIA GPU as a target --------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/GPU/Target/GPUTarget.h"

using namespace mlir;

namespace gridir::gpu {

bool isProgram(grid::KernelOp kernel) {
  for (unsigned i = 0; i < kernel.getNumOperandSpecs(); ++i) {
    grid::OperandAttr spec = kernel.getOperandSpec(i);
    // In global memory.
    if (!spec.getBlock().empty() || !spec.getSpace().isOfWarpgroups() ||
        !spec.getSpace().isOutsideOfCores())
      return false;
  }
  return kernel.getNumOperandSpecs() > 0;
}

grid::SpaceBytes GPUTarget::getCapacities(grid::KernelOp kernel) const {
  if (!chip || isProgram(kernel))
    return {};
  return {{"gpu.smem", chip->ctaSharedBytes}};
}

/// Returns the names of the optional instructions that the chip has.
static llvm::json::Array describeFeatures(const Chip &chip) {
  llvm::json::Array features;
  auto add = [&](bool has, StringRef name) {
    if (has)
      features.push_back(name);
  };
  add(chip.hasSmallFloats, "small-floats");
  add(chip.hasBulkCopies, "bulk-copies");
  add(chip.hasWgmma, "wgmma");
  add(chip.hasSetMaxRegisters, "setmaxnreg");
  add(chip.hasTensorMemory, "tensor-memory");
  return features;
}

llvm::json::Object GPUTarget::describeChip() const {
  if (!chip)
    return {};
  llvm::json::Array products;
  for (const MatrixProduct &product : chip->getMatrixProducts())
    products.push_back(llvm::json::Object{
        {"instruction", product.instruction},
        {"m", product.rows},
        {"n", llvm::json::Array{product.leastColumns, product.mostColumns,
                                product.columnStep}},
        {"k_bits", product.depthBits}});
  llvm::json::Object row = chip->product.toJSON();
  row["cta_shared_bytes"] = chip->ctaSharedBytes;
  row["shared_bytes"] = chip->multiprocessorSharedBytes;
  row["registers"] = chip->registers;
  row["threads"] = chip->threads;
  row["ctas"] = chip->ctas;
  row["vector_ops"] = chip->vectorOps;
  row["function_ops"] = chip->functionOps;
  row["ptx_feature"] = chip->ptxFeature;
  row["features"] = describeFeatures(*chip);
  row["matrix_products"] = std::move(products);
  row["tensor_columns"] = chip->hasTensorMemory ? kTensorColumns : 0;
  if (chip->multiprocessors)
    row["multiprocessors"] = chip->multiprocessors;
  return row;
}

} // namespace gridir::gpu
