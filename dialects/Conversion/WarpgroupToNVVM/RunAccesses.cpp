//===- RunAccesses.cpp - Accesses of adjacent elements --------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/RunAccesses.h"

#include "dialects/Support/Builders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace gridir;

namespace gridir::warpgroup_to_nvvm {

Value packVector(OpBuilder &builder, Location loc, ArrayRef<Value> values) {
  Type stored = getStorageType(values.front().getType());
  auto type = VectorType::get(values.size(), stored);
  Value vector = LLVM::PoisonOp::create(builder, loc, type);
  for (auto [i, value] : llvm::enumerate(values))
    vector = LLVM::InsertElementOp::create(builder, loc, vector,
                                           toStorage(builder, loc, value),
                                           createI32(builder, loc, i));
  return vector;
}

void unpackVector(OpBuilder &builder, Location loc, Value vector, Type type,
                  Registers &values) {
  int64_t size = cast<VectorType>(vector.getType()).getNumElements();
  for (int64_t i = 0; i < size; ++i)
    values.push_back(
        fromStorage(builder, loc,
                    LLVM::ExtractElementOp::create(builder, loc, vector,
                                                   createI32(builder, loc, i)),
                    type));
}

/// Loads bytes as words. LLVM would split a load of a vector of bytes whose
/// elements are used one by one, so it must not see where the words are from.
static Registers loadBytes(OpBuilder &builder, Location loc, Type element,
                           int64_t run, Value address) {
  constexpr int64_t ofWord = 4;
  Type word = builder.getI32Type();
  Type type = run == ofWord ? word : VectorType::get(run / ofWord, word);
  Value loaded =
      LLVM::LoadOp::create(builder, loc, type, address, /*alignment=*/run);
  Registers words{loaded};
  if (run != ofWord) {
    words.clear();
    unpackVector(builder, loc, loaded, word, words);
  }
  return unpackWords(builder, loc, createOpaque(builder, loc, words), element);
}

Registers loadRun(OpBuilder &builder, Location loc, const View &view,
                  int64_t run, Value address) {
  Type element = view.getElementType(), stored = getStorageType(element);
  if (stored.getIntOrFloatBitWidth() == 8 && run % 4 == 0)
    return loadBytes(builder, loc, element, run, address);
  Type type = run == 1 ? stored : VectorType::get(run, stored);
  Value loaded =
      LLVM::LoadOp::create(builder, loc, type, address,
                           /*alignment=*/run * view.storage->getElementBytes());
  if (run == 1)
    return {fromStorage(builder, loc, loaded, element)};
  Registers values;
  unpackVector(builder, loc, loaded, element, values);
  return values;
}

Registers loadRunIf(OpBuilder &builder, Location loc, const View &view,
                    int64_t run, Value address, Value condition,
                    function_ref<Registers()> otherwise) {
  SmallVector<Type> types(run, view.getElementType());
  auto branch = scf::IfOp::create(builder, loc, types, condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(builder, loc, loadRun(builder, loc, view, run, address));
  builder.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(builder, loc, otherwise());
  return Registers(branch.getResults());
}

void storeRun(OpBuilder &builder, Location loc, const View &view,
              ArrayRef<Value> values, Value address) {
  Value value = values.size() > 1 ? packVector(builder, loc, values)
                                  : toStorage(builder, loc, values.front());
  LLVM::StoreOp::create(builder, loc, value, address,
                        /*alignment=*/values.size() *
                            view.storage->getElementBytes());
}

/// True if all conditions are.
static Value createConjunction(OpBuilder &builder, Location loc,
                               ArrayRef<Value> conditions) {
  Value all = conditions.front();
  for (Value condition : conditions.drop_front())
    all = arith::AndIOp::create(builder, loc, all, condition);
  return all;
}

/// The address of a later element of a run.
static Value createAddressOf(OpBuilder &builder, Location loc, const View &view,
                             Value address, int64_t element) {
  if (element == 0)
    return address;
  auto bytes = static_cast<int32_t>(element * view.storage->getElementBytes());
  return LLVM::GEPOp::create(builder, loc, address.getType(),
                             builder.getI8Type(), address,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

namespace {

/// The loads of one array.
class MaskedLoad {
public:
  MaskedLoad(OpBuilder &builder, Location loc, const View &view,
             const Mask &mask, ArrayRef<Value> other)
      : builder(builder), loc(loc), view(view), mask(mask), other(other),
        element(view.getElementType()) {}

  Registers create(unsigned first, int64_t run, Value address) {
    auto conditions = ArrayRef(mask.conditions).slice(first, run);
    if (mask.run % run == 0)
      return createIf(conditions.front(), run, address,
                      [&] { return getOthers(first, run); });
    return createIf(createConjunction(builder, loc, conditions), run, address,
                    [&] { return createSingle(first, run, address); });
  }

  Registers getOthers(unsigned first, int64_t count) {
    return other.empty() ? Registers(count, createZero(builder, loc, element))
                         : Registers(other.slice(first, count));
  }

private:
  Registers createSingle(unsigned first, int64_t run, Value address) {
    Registers values;
    for (int64_t i = 0; i < run; ++i)
      values.append(createIf(mask.conditions[first + i], 1,
                             createAddressOf(builder, loc, view, address, i),
                             [&] { return getOthers(first + i, 1); }));
    return values;
  }

  Registers createIf(Value condition, int64_t run, Value address,
                     function_ref<Registers()> otherwise) {
    return loadRunIf(builder, loc, view, run, address, condition, otherwise);
  }

  OpBuilder &builder;
  Location loc;
  const View &view;
  const Mask &mask;
  ArrayRef<Value> other;
  Type element;
};

} // namespace

Registers createMaskedLoad(Lowering &lowering, Location loc, const View &view,
                           const Distribution &distribution, const Mask &mask,
                           ArrayRef<Value> other) {
  OpBuilder &builder = lowering.builder;
  MaskedLoad load(builder, loc, view, mask, other);
  Registers result;
  if (view.storage->isPacked) {
    result = lowering.createLoad(loc, view, distribution);
    for (auto [r, value] : llvm::enumerate(result))
      value = arith::SelectOp::create(builder, loc, mask.conditions[r], value,
                                      load.getOthers(r, 1).front());
    return result;
  }
  lowering.forEachRun(loc, view, distribution, kMaxAccessBytes,
                      [&](unsigned r, int64_t run, Value address) {
                        result.append(load.create(r, run, address));
                      });
  return result;
}

void createMaskedStore(Lowering &lowering, Location loc, const View &view,
                       const Distribution &distribution,
                       const Registers &values, const Mask &mask) {
  OpBuilder &builder = lowering.builder;
  auto createIf = [&](Value condition, bool withElse, ArrayRef<Value> stored,
                      Value address) {
    auto branch = scf::IfOp::create(builder, loc, condition, withElse);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    storeRun(builder, loc, view, stored, address);
    return branch;
  };
  lowering.forEachRun(
      loc, view, distribution, kMaxAccessBytes,
      [&](unsigned r, int64_t run, Value address) {
        auto stored = ArrayRef(values).slice(r, run);
        Registers conditions(ArrayRef(mask.conditions).slice(r, run));
        if (Value owns = lowering.createOwns(distribution, r))
          for (Value &condition : conditions)
            condition = arith::AndIOp::create(builder, loc, owns, condition);
        if (mask.run % run == 0) {
          createIf(conditions.front(), /*withElse=*/false, stored, address);
          return;
        }
        scf::IfOp branch = createIf(createConjunction(builder, loc, conditions),
                                    /*withElse=*/true, stored, address);
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToStart(branch.elseBlock());
        for (auto [i, condition] : llvm::enumerate(conditions))
          createIf(condition, /*withElse=*/false, stored.slice(i, 1),
                   createAddressOf(builder, loc, view, address, i));
      });
}

} // namespace gridir::warpgroup_to_nvvm
