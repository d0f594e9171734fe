//===- Accesses.cpp - Loads and stores of Refs ----------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/RunAccesses.h"

#include "dialects/Conversion/WarpgroupToNVVM/TensorMemory.h"
#include "dialects/Grid/Analysis/MaskRuns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {
namespace {

Registers getOptional(Lowering &lowering, Value value) {
  return value ? lowering.get(value) : Registers();
}

Mask getMask(Lowering &lowering, Operation *op, Value mask) {
  if (!mask)
    return {};
  grid::ProgramValues values(op->getParentOfType<grid::KernelOp>());
  grid::ElementRanges ranges(values);
  grid::PositionReader reader(ranges);
  return {lowering.get(mask), grid::MaskRuns(reader).get(mask)};
}

/// `values` where the mask is true, and `others` or zeros elsewhere; all values
/// where there is no mask.
Registers createSelect(OpBuilder &builder, Location loc, ArrayRef<Value> mask,
                       ArrayRef<Value> values, ArrayRef<Value> others) {
  Registers result(values);
  for (auto [i, isChosen] : llvm::enumerate(mask))
    result[i] = arith::SelectOp::create(
        builder, loc, isChosen, values[i],
        others.empty() ? createZero(builder, loc, values[i].getType())
                       : others[i]);
  return result;
}

/// An access to all that a Ref names.
class Access {
public:
  Access(Lowering &lowering, Operation *op, Value ref, Type valueType)
      : lowering(lowering), builder(lowering.builder), loc(op->getLoc()),
        view(lowering.getView(ref)), storage(*view.storage),
        elementType(storage.elementType) {
    if (auto tensor = dyn_cast<RankedTensorType>(valueType))
      distribution = lowering.distributions.get(tensor);
  }

  Registers load(const Mask &mask, ArrayRef<Value> other) {
    if (storage.kind == Storage::Kind::Registers) {
      Registers values = loadVariables();
      if (!distribution)
        return values;
      if (isWindow())
        return lowering.extractWindow(loc, values, *storage.distribution,
                                      *distribution, getOffsets());
      // The dimension of the Ref that is dimension `d` of the registers.
      SmallVector<int64_t> ofStorage(view.dims.size());
      for (auto [i, d] : llvm::enumerate(view.dims))
        ofStorage[d] = i;
      return lowering.redistribute(loc, values, *storage.distribution,
                                   *distribution, ofStorage);
    }
    if (!distribution)
      return {storage.isPacked
                  ? lowering.createPackedLoad(loc, view, {})
                  : createLoad(lowering.createAddress(loc, view, {}))};
    return mask.conditions.empty()
               ? lowering.createLoad(loc, view, *distribution)
               : createMaskedLoad(lowering, loc, view, *distribution, mask,
                                  other);
  }

  void store(const Registers &values, const Mask &mask) {
    if (storage.kind == Storage::Kind::Registers) {
      if (isWindow())
        return storeVariables(insert(values, mask.conditions));
      Registers stored = toVariables(values);
      if (!mask.conditions.empty())
        stored = createSelect(builder, loc, toVariables(mask.conditions),
                              stored, loadVariables());
      storeVariables(stored);
      return;
    }
    if (distribution)
      return mask.conditions.empty()
                 ? lowering.createStore(loc, view, *distribution, values)
                 : createMaskedStore(lowering, loc, view, *distribution, values,
                                     mask);
    Value pointer = lowering.createAddress(loc, view, {});
    Value value = toStorage(builder, loc, values.front());
    lowering.createForLeader(
        loc, mask.conditions.empty() ? Value() : mask.conditions.front(),
        [&] { LLVM::StoreOp::create(builder, loc, value, pointer); });
  }

private:
  Registers loadVariables() {
    if (!storage.isAccumulator)
      return llvm::map_to_vector(storage.variables, [&](Value variable) {
        return createLoad(variable);
      });
    bool isPacked = storage.getElementsOfVariable() > 1;
    Type type = isPacked ? builder.getI32Type() : elementType;
    Registers words =
        llvm::map_to_vector(storage.variables, [&](Value variable) -> Value {
          return LLVM::LoadOp::create(builder, loc, type, variable);
        });
    // Loads of local memory are not moved across waits.
    llvm::copy(
        createOpaque(builder, loc, ArrayRef(words).take_front(storage.numHeld)),
        words.begin());
    return isPacked ? unpackWords(builder, loc, words, elementType) : words;
  }

  void storeVariables(ArrayRef<Value> values) {
    Registers stored = llvm::map_to_vector(
        values, [&](Value v) { return toStorage(builder, loc, v); });
    if (storage.getElementsOfVariable() > 1)
      stored = packWords(builder, loc, stored);
    if (storage.isAccumulator)
      llvm::copy(createOpaque(builder, loc,
                              ArrayRef(stored).take_front(storage.numHeld)),
                 stored.begin());
    for (auto [value, variable] : llvm::zip_equal(stored, storage.variables))
      LLVM::StoreOp::create(builder, loc, value, variable);
  }

  /// True if the view is a part of a Ref in registers.
  bool isWindow() const { return view.sizes != storage.shape; }

  Coordinates getOffsets() const {
    return Coordinates(llvm::map_range(view.offsets, [](OpFoldResult offset) {
      return *getConstantIntValue(offset);
    }));
  }

  /// All that the variables hold, with another window.
  Registers insert(const Registers &values, ArrayRef<Value> mask) {
    Registers all = loadVariables(), window = values;
    if (!mask.empty())
      window =
          createSelect(builder, loc, mask, values,
                       lowering.extractWindow(loc, all, *storage.distribution,
                                              *distribution, getOffsets()));
    return lowering.insertWindow(loc, window, *distribution, all,
                                 *storage.distribution, getOffsets());
  }

  /// Converts values from the layout of the array to the registers of the Ref.
  Registers toVariables(ArrayRef<Value> values) {
    if (!distribution || values.empty())
      return Registers(values);
    return lowering.redistribute(loc, Registers(values), *distribution,
                                 *storage.distribution, view.dims);
  }

  Value createLoad(Value pointer) {
    Value value = LLVM::LoadOp::create(builder, loc,
                                       getStorageType(elementType), pointer);
    return fromStorage(builder, loc, value, elementType);
  }

  Lowering &lowering;
  OpBuilder &builder;
  Location loc;
  const View &view;
  const Storage &storage;
  Type elementType;
  std::optional<Distribution> distribution;
};

bool isInTensorMemory(Lowering &lowering, Value ref) {
  return lowering.getView(ref).storage->kind == Storage::Kind::Tensor;
}

LogicalResult lowerLoad(grid::LoadOp op, Lowering &lowering) {
  if (failed(lowering.convertType(op, op.getType())) ||
      failed(checkAddresses(op, lowering.getView(op.getRef()))))
    return failure();
  Mask mask = getMask(lowering, op, op.getMask());
  Registers other = getOptional(lowering, op.getOther());
  if (isInTensorMemory(lowering, op.getRef())) {
    FailureOr<Registers> loaded =
        loadTensorMemory(op, op.getRef(), op.getType(), lowering);
    if (failed(loaded))
      return failure();
    lowering.set(op.getResult(), createSelect(lowering.builder, op.getLoc(),
                                              mask.conditions, *loaded, other));
    return success();
  }
  Access access(lowering, op, op.getRef(), op.getType());
  lowering.set(op.getResult(), access.load(mask, other));
  return success();
}

LogicalResult lowerStore(grid::StoreOp op, Lowering &lowering) {
  if (failed(checkAddresses(op, lowering.getView(op.getRef()))))
    return failure();
  Registers values = lowering.get(op.getValue());
  Mask mask = getMask(lowering, op, op.getMask());
  Type type = op.getValue().getType();
  if (!isInTensorMemory(lowering, op.getRef())) {
    Access(lowering, op, op.getRef(), type).store(values, mask);
    return success();
  }
  if (!mask.conditions.empty()) {
    FailureOr<Registers> before =
        loadTensorMemory(op, op.getRef(), type, lowering);
    if (failed(before))
      return failure();
    values = createSelect(lowering.builder, op.getLoc(), mask.conditions,
                          values, *before);
  }
  return storeTensorMemory(op, op.getRef(), type, values, lowering);
}

LogicalResult lowerAccumulate(grid::AccumulateOp op, Lowering &lowering) {
  if (failed(checkAddresses(op, lowering.getView(op.getRef()))))
    return failure();
  Type type = op.getValue().getType();
  Mask mask = getMask(lowering, op, op.getMask());
  auto add = [&](Registers sums) {
    for (auto [sum, value] : llvm::zip_equal(sums, lowering.get(op.getValue())))
      sum = createAdd(lowering.builder, op.getLoc(), sum, value);
    return sums;
  };
  if (!isInTensorMemory(lowering, op.getRef())) {
    Access access(lowering, op, op.getRef(), type);
    access.store(add(access.load(mask, {})), mask);
    return success();
  }
  FailureOr<Registers> before =
      loadTensorMemory(op, op.getRef(), type, lowering);
  if (failed(before))
    return failure();
  Registers sums = createSelect(lowering.builder, op.getLoc(), mask.conditions,
                                add(*before), *before);
  return storeTensorMemory(op, op.getRef(), type, sums, lowering);
}

} // namespace

void addAccessLowerings(Handlers &handlers) {
  handlers.add(lowerLoad);
  handlers.add(lowerStore);
  handlers.add(lowerAccumulate);
}

} // namespace gridir::warpgroup_to_nvvm
