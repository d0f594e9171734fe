//===- LegalizeBlocks.cpp - Check what the target can hold ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/Passes.h"
#include "dialects/Grid/Transforms/TPUBlocks.h"

#include "dialects/Grid/Analysis/BlockAccess.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/InterleavedRange.h"

namespace gridir::grid {
#define GEN_PASS_DEF_GRIDLEGALIZEBLOCKSPASS
#include "dialects/Grid/Transforms/Passes.h.inc"
} // namespace gridir::grid

using namespace mlir;
using namespace gridir::grid;

//===----------------------------------------------------------------------===//
// What a CPU can hold
//===----------------------------------------------------------------------===//

/// Whether code for a CPU can load, compute and store elements of a type.
static bool isCPUElementType(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return complex.getElementType().isF32() || complex.getElementType().isF64();
  if (auto integer = dyn_cast<IntegerType>(type))
    return llvm::is_contained({1u, 2u, 4u, 8u, 16u, 32u, 64u},
                              integer.getWidth());
  if (isa<FloatType>(type))
    return type.getIntOrFloatBitWidth() <= 64;
  return isa<SemaphoreType>(type);
}

/// Checks one array operand against what a CPU can hold.
static LogicalResult checkCPUOperand(KernelOp kernel, unsigned operand) {
  OperandAttr spec = kernel.getOperandSpec(operand);
  Location loc = kernel.getBodyBlock()->getArgument(operand).getLoc();
  std::string name = kernel.getOperandName(operand);
  if (!isCPUElementType(spec.getElementType()))
    return emitError(loc) << "expected " << name
                          << " to have an element type of the CPU, got "
                          << spec.getElementType();
  if (!spec.getTransforms().empty())
    return emitError(loc)
           << "expected " << name
           << " without block transforms, which are for GPUs, got "
           << spec.getTransforms().front();
  for (auto [dim, size] : llvm::enumerate(spec.getShape()))
    if (auto symbol = dyn_cast<StringAttr>(size))
      return emitError(loc)
             << "expected dimension " << dim << " of " << name
             << " to have a static size, got " << symbol.getValue();
  for (auto [dim, block] : llvm::enumerate(spec.getBlockDims()))
    if (block.getKind() == BlockKind::Indirect)
      return emitError(loc)
             << "expected dimension " << dim << " of " << name
             << " to be cut into consecutive elements, got a gathered block";
  return success();
}

/// Checks the scratch Refs against what a CPU can hold.
static LogicalResult checkCPUScratch(KernelOp kernel) {
  for (auto [i, ref] : llvm::enumerate(kernel.getScratchRefs())) {
    Type element = cast<MemRefType>(ref.getType()).getElementType();
    if (!isCPUElementType(element))
      return emitError(ref.getLoc())
             << "expected scratch[" << i
             << "] to have an element type of the CPU, got " << element;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Fails where some block of an operand lies wholly outside its array: JAX
/// gives such a block no meaning that all its backends share.
static LogicalResult checkBlocksMeetArray(BlockAccess &access,
                                          unsigned operand) {
  KernelOp kernel = access.getKernel();
  OperandAttr spec = kernel.getOperandSpec(operand);
  for (unsigned dim = 0; dim < spec.getRank(); ++dim) {
    GridAnswer answer = access.liesOutside(operand, dim);
    // An empty array has no elements, and nothing reads or writes it.
    if (answer.kind != GridAnswer::yes || spec.getArrayShape()[dim] == 0)
      continue;
    InFlightDiagnostic diagnostic =
        emitError(kernel.getBodyBlock()->getArgument(operand).getLoc())
        << "expected every block of " << kernel.getOperandName(operand)
        << " to meet its array, got one outside of dimension " << dim
        << " of size " << spec.getArrayShape()[dim];
    diagnostic.attachNote(kernel.getLoc())
        << "it is the block of program ("
        << llvm::interleaved(answer.witness.first) << ")";
    return diagnostic;
  }
  return success();
}

namespace {

class GridLegalizeBlocksPass
    : public gridir::grid::impl::GridLegalizeBlocksPassBase<
          GridLegalizeBlocksPass> {
public:
  using GridLegalizeBlocksPassBase::GridLegalizeBlocksPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (target != "cpu" && target != "tpu") {
      kernel.emitError()
          << "expected a target of grid-legalize-blocks, cpu or tpu, got "
          << target;
      return signalPassFailure();
    }
    bool isTPU = target == "tpu";
    for (unsigned i = 0, e = kernel.getNumOperandSpecs(); i < e; ++i)
      if (failed(isTPU ? checkTPUOperand(kernel, i)
                       : checkCPUOperand(kernel, i)))
        return signalPassFailure();
    if (failed(isTPU ? checkTPUScratch(kernel) : checkCPUScratch(kernel)))
      return signalPassFailure();

    BlockAccess access(kernel);
    NamedAttrList overhang;
    for (unsigned i = kernel.getNumIndexOperands(),
                  e = kernel.getNumOperandSpecs();
         i < e; ++i) {
      if (failed(checkBlocksMeetArray(access, i)))
        return signalPassFailure();
      SmallVector<int64_t> dims;
      for (unsigned dim = 0, rank = kernel.getOperandSpec(i).getRank();
           dim < rank; ++dim)
        if (access.overhangs(i, dim).kind != GridAnswer::no)
          dims.push_back(dim);
      if (dims.empty())
        continue;
      ++numOverhanging;
      std::string name = kernel.getOperandName(i);
      remark::analysis(
          kernel.getBodyBlock()->getArgument(i).getLoc(),
          remark::RemarkOpts::name("overhang").category(getArgument()))
          << "blocks of " + name + " may overhang the array";
      overhang.set(name, DenseI64ArrayAttr::get(&getContext(), dims));
    }
    if (overhang.empty())
      kernel->removeAttr("grid.overhang");
    else
      kernel->setAttr("grid.overhang", overhang.getDictionary(&getContext()));
  }
};

} // namespace
