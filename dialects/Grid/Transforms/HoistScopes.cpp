//===- HoistScopes.cpp - Scratch of scopes as that of the kernel ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/Passes.h"

#include "dialects/Grid/IR/Grid.h"

namespace gridir::grid {
#define GEN_PASS_DEF_GRIDHOISTSCOPESPASS
#include "dialects/Grid/Transforms/Passes.h.inc"
} // namespace gridir::grid

using namespace mlir;
using namespace gridir::grid;

namespace {

/// True for a scope of arrays of numbers of one program. Semaphores are zero at
/// the entry of each scope. The memory of a program of warpgroups is planned by
/// scopes where they are.
bool isOfArrays(ScopedOp scope) {
  if (scope.getCollective() || scope.getTransforms())
    return false;
  return llvm::all_of(scope.getBody().getArgumentTypes(), [](Type type) {
    auto ref = dyn_cast<MemRefType>(type);
    return ref && ref.hasStaticShape() && ref.getElementType().isIntOrFloat() &&
           !getSpace(ref).isOfWarpgroups();
  });
}

class GridHoistScopesPass
    : public gridir::grid::impl::GridHoistScopesPassBase<GridHoistScopesPass> {
public:
  using GridHoistScopesPassBase::GridHoistScopesPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    // Inner scopes first.
    SmallVector<ScopedOp> scopes;
    kernel.getBodyRegion().walk([&](ScopedOp scope) {
      if (isOfArrays(scope))
        scopes.push_back(scope);
    });
    if (scopes.empty())
      return markAllAnalysesPreserved();
    for (ScopedOp scope : scopes)
      hoist(kernel, scope);
    numHoisted += scopes.size();
  }

private:
  /// The numbers of the Refs of unsigned integers.
  static SmallVector<int64_t> getUnsigned(Operation *op) {
    auto numbers = op->getAttrOfType<DenseI64ArrayAttr>(kUnsignedAttrName);
    return numbers ? SmallVector<int64_t>(numbers.asArrayRef())
                   : SmallVector<int64_t>();
  }

  static void hoist(KernelOp kernel, ScopedOp scope) {
    Block &block = scope.getBody().front();
    SmallVector<int64_t> ofScope = getUnsigned(scope),
                         ofKernel = getUnsigned(kernel);
    for (BlockArgument ref : block.getArguments()) {
      StringRef origin;
      if (std::optional<ArrayAttr> origins = scope.getOrigins())
        origin = cast<StringAttr>((*origins)[ref.getArgNumber()]).getValue();
      BlockArgument scratch = kernel.addScratchRef(
          cast<MemRefType>(ref.getType()), ref.getLoc(), origin);
      if (llvm::is_contained(ofScope, ref.getArgNumber()))
        ofKernel.push_back(scratch.getArgNumber());
      ref.replaceAllUsesWith(scratch);
    }
    if (!ofKernel.empty())
      kernel->setAttr(kUnsignedAttrName,
                      DenseI64ArrayAttr::get(kernel.getContext(), ofKernel));
    Operation *end = block.getTerminator();
    scope->replaceAllUsesWith(end->getOperands());
    end->erase();
    scope->getBlock()->getOperations().splice(scope->getIterator(),
                                              block.getOperations());
    scope->erase();
  }
};

} // namespace
