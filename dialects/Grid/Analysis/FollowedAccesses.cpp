//===- FollowedAccesses.cpp - Accesses of followed programs ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/FollowedAccesses.h"

#include "dialects/Grid/Analysis/BoxCoverage.h"
#include "dialects/Grid/Analysis/ProgramRuns.h"
#include "dialects/Grid/Analysis/StoredBoxes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace gridir::grid {

namespace {

class WrittenRuns : public ProgramRuns {
public:
  WrittenRuns(BlockAccess &access, unsigned output)
      : ProgramRuns(access.getKernel()), access(access) {
    for (const ArrayAccess &store : access.getAccesses())
      if (store.operand == output && store.writes && !store.isCopied)
        if (std::optional<StoredBox> stored = findStoredBox(store, access)) {
          stores[store.op].push_back(std::move(*stored));
          addRelevant(store.op);
        }
    rest.push_back(llvm::map_to_vector(
        kernel.getOperandSpec(output).getArrayShape(),
        [](int64_t extent) { return std::pair<int64_t, int64_t>(0, extent); }));
  }

  bool find() {
    if (stores.empty())
      return false;
    // An incomplete simulation has seen fewer writes.
    (void)follow();
    return rest.empty();
  }

private:
  void visit(Operation *op) override {
    for (const StoredBox &store : stores.lookup(op)) {
      if (store.predicate && read(store.predicate).value_or(0) == 0)
        continue;
      if (std::optional<ElementBox> box =
              readBox(store.box, access.getValues()))
        if (std::optional<ConstantBox> written = getConstantBox(*box))
          remove(rest, *written);
    }
  }

  /// An op that may not execute certainly writes nothing.
  void lose(Operation *) override {}

  BlockAccess &access;
  llvm::DenseMap<Operation *, SmallVector<StoredBox, 1>> stores;
  SmallVector<ConstantBox> rest;
};

class OffsetRuns : public ProgramRuns {
public:
  OffsetRuns(BlockAccess &access, ArrayRef<ViewOffset> offsets)
      : ProgramRuns(access.getKernel()),
        inside(offsets.begin(), offsets.end()) {
    for (auto [view, dim] : offsets) {
      dims[view].push_back(dim);
      addRelevant(view);
    }
  }

  llvm::DenseSet<ViewOffset> find() {
    if (follow())
      return {};
    return std::move(inside);
  }

private:
  void visit(Operation *op) override {
    auto view = cast<RefViewOpInterface>(op);
    std::optional<SmallVector<ViewDim>> all = view.getViewDims();
    auto source = cast<MemRefType>(view.getViewSources().front().getType());
    auto result = cast<MemRefType>(op->getResult(0).getType());
    for (unsigned dim : dims.lookup(op)) {
      const ViewDim &along = (*all)[dim];
      Number offset = getConstantIntValue(along.offset);
      if (!offset)
        offset = read(cast<Value>(along.offset));
      int64_t size = along.dim ? result.getDimSize(*along.dim) : 1;
      if (!offset || *offset < 0 ||
          *offset + (size - 1) * along.stride >= source.getDimSize(dim))
        inside.erase({op, dim});
    }
  }

  void lose(Operation *op) override {
    op->walk([&](Operation *inner) {
      for (unsigned dim : dims.lookup(inner))
        inside.erase({inner, dim});
    });
  }

  llvm::DenseMap<Operation *, SmallVector<unsigned, 2>> dims;
  llvm::DenseSet<ViewOffset> inside;
};

} // namespace

bool writesEverything(BlockAccess &access, unsigned output) {
  return WrittenRuns(access, output).find();
}

llvm::DenseSet<ViewOffset> findOffsetsInBounds(BlockAccess &access,
                                               ArrayRef<ViewOffset> offsets) {
  return OffsetRuns(access, offsets).find();
}

} // namespace gridir::grid
