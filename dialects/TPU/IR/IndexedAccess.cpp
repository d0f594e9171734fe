//===- IndexedAccess.cpp - The elements that an op names by indices -------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/TPU/IR/IndexedAccess.h"

#include "dialects/TPU/IR/TPU.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace gridir::tpu {

/// An access to the elements of a shape, which may leave out leading
/// dimensions.
static IndexedAccess getAccess(Value memref, OperandRange indices,
                               ArrayRef<int64_t> shape,
                               ArrayRef<int32_t> strides = {}) {
  IndexedAccess access{memref, indices, {}};
  access.spans.assign(indices.size() - std::min(indices.size(), shape.size()),
                      1);
  llvm::append_range(access.spans, shape);
  for (auto [span, stride] : llvm::zip(access.spans, strides))
    span = (span - 1) * stride + 1;
  return access;
}

static ArrayRef<int64_t> getShape(Value vector) {
  return cast<VectorType>(vector.getType()).getShape();
}

std::optional<IndexedAccess> getIndexedAccess(Operation *op) {
  using Access = std::optional<IndexedAccess>;
  return TypeSwitch<Operation *, Access>(op)
      .Case([](vector::LoadOp load) -> Access {
        return getAccess(load.getBase(), load.getIndices(),
                         getShape(load.getResult()));
      })
      .Case([](vector::StoreOp store) -> Access {
        return getAccess(store.getBase(), store.getIndices(),
                         getShape(store.getValueToStore()));
      })
      .Case([](VectorLoadOp load) -> Access {
        Access access = getAccess(load.getBase(), load.getIndices(),
                                  getShape(load.getResult()));
        access->isMasked = bool(load.getMask());
        return access;
      })
      .Case([](VectorStoreOp store) -> Access {
        Access access = getAccess(store.getBase(), store.getIndices(),
                                  getShape(store.getValueToStore()));
        access->isMasked = bool(store.getMask());
        return access;
      })
      .Case([](StridedLoadOp load) -> Access {
        return getAccess(load.getBase(), load.getIndices(),
                         getShape(load.getResult()), load.getStrides());
      })
      .Case([](StridedStoreOp store) -> Access {
        return getAccess(store.getBase(), store.getIndices(),
                         getShape(store.getValueToStore()), store.getStrides());
      })
      .Case([](memref::LoadOp load) -> Access {
        return getAccess(load.getMemref(), load.getIndices(), {});
      })
      .Case([](memref::StoreOp store) -> Access {
        return getAccess(store.getMemref(), store.getIndices(), {});
      })
      .Case([](MemRefSliceOp slice) -> Access {
        if (!slice.getDynamicSizes().empty())
          return std::nullopt;
        return getAccess(
            slice.getMemRef(), slice.getBaseIdx(),
            cast<MemRefType>(slice.getResult().getType()).getShape());
      })
      .Default([](Operation *) { return Access(); });
}

} // namespace gridir::tpu
