//===- MappedKernel.cpp - a kernel as loops over CTAs and threads ---------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/GPU/Transforms/MappedKernel.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace gridir::gpu {

FailureOr<func::FuncOp> getKernelFunction(ModuleOp module) {
  FailureOr<kernel::ABIOp> abi = kernel::getABI(module);
  if (failed(abi))
    return failure();
  auto entry = abi->getEntryFunction<func::FuncOp>();
  if (failed(entry))
    return failure();
  func::FuncOp kernel = *entry;
  if (kernel.getNumArguments() < 3)
    return kernel.emitError("expected a kernel of operands, status, lo and hi, "
                            "got ")
           << kernel.getFunctionType();
  ArrayRef<Type> last = kernel.getArgumentTypes().take_back(3);
  auto status = dyn_cast<MemRefType>(last[0]);
  if (!status || status.getRank() != 1 ||
      !status.getElementType().isInteger(64) || !last[1].isIndex() ||
      !last[2].isIndex())
    return kernel.emitError("expected a kernel that ends in a status of i64, "
                            "and lo and hi of index, got ")
           << kernel.getFunctionType();
  if (!llvm::hasSingleElement(kernel.getBody()))
    return kernel.emitError("expected a kernel of one block, got ")
           << llvm::range_size(kernel.getBody());
  return kernel;
}

kernel::MappingAttr getMapping(ModuleOp module) {
  return kernel::KernelDialect::MappingAttrHelper(module.getContext())
      .getAttr(module);
}

bool isOutlined(ModuleOp module) {
  return !module.getOps<mlir::gpu::GPUModuleOp>().empty();
}

bool isPrint(Operation *op) {
  auto call = dyn_cast<func::CallOp>(op);
  return call && llvm::is_contained(kPrintFunctions, call.getCallee());
}

Value getStatus(func::FuncOp kernel) {
  return kernel.getArgument(kernel.getNumArguments() - 3);
}

template <typename MappingAttr> static bool isMappedTo(Operation *op) {
  auto loop = dyn_cast<scf::ForallOp>(op);
  if (!loop || !loop.getMapping() || loop.getMapping()->size() != 1 ||
      loop.getNumResults() != 0)
    return false;
  return isa<MappingAttr>((*loop.getMapping())[0]);
}

bool isBlockLoop(Operation *op) {
  return isMappedTo<mlir::gpu::GPUBlockMappingAttr>(op);
}

bool isThreadLoop(Operation *op) {
  return isMappedTo<mlir::gpu::GPUThreadMappingAttr>(op);
}

bool doesNothing(func::FuncOp kernel) {
  return llvm::all_of(
      kernel.getBody().front().without_terminator(), [](Operation &op) {
        return op.getNumRegions() == 0 && isMemoryEffectFree(&op);
      });
}

FailureOr<scf::ForallOp> getBlockLoop(func::FuncOp kernel) {
  for (scf::ForallOp loop : kernel.getBody().front().getOps<scf::ForallOp>())
    if (isBlockLoop(loop))
      return loop;
  return kernel.emitError("expected a kernel whose work items are mapped to "
                          "CTAs");
}

std::optional<int64_t> getStaticRange(kernel::ABIOp abi) {
  auto range = abi->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>(
      abi.getRangeName());
  if (!range || range.isExternal())
    return std::nullopt;
  APInt value;
  Operation *last = range.getBody().front().getTerminator();
  if (last->getNumOperands() == 1 &&
      matchPattern(last->getOperand(0), m_ConstantInt(&value)))
    return value.trySExtValue();
  return std::nullopt;
}

} // namespace gridir::gpu
