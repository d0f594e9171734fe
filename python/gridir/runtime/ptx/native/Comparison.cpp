//===- Comparison.cpp - Comparisons and selections ------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace llvm;

namespace gridir::ptx {

namespace {

struct ComparisonRow {
  StringLiteral name;
  CmpInst::Predicate isSigned, isUnsigned, floating;
};

constexpr auto kNone = CmpInst::BAD_ICMP_PREDICATE;

constexpr ComparisonRow kComparisons[] = {
    {"eq", CmpInst::ICMP_EQ, CmpInst::ICMP_EQ, CmpInst::FCMP_OEQ},
    {"ne", CmpInst::ICMP_NE, CmpInst::ICMP_NE, CmpInst::FCMP_ONE},
    {"lt", CmpInst::ICMP_SLT, CmpInst::ICMP_ULT, CmpInst::FCMP_OLT},
    {"le", CmpInst::ICMP_SLE, CmpInst::ICMP_ULE, CmpInst::FCMP_OLE},
    {"gt", CmpInst::ICMP_SGT, CmpInst::ICMP_UGT, CmpInst::FCMP_OGT},
    {"ge", CmpInst::ICMP_SGE, CmpInst::ICMP_UGE, CmpInst::FCMP_OGE},
    {"lo", kNone, CmpInst::ICMP_ULT, kNone},
    {"ls", kNone, CmpInst::ICMP_ULE, kNone},
    {"hi", kNone, CmpInst::ICMP_UGT, kNone},
    {"hs", kNone, CmpInst::ICMP_UGE, kNone},
    {"equ", kNone, kNone, CmpInst::FCMP_UEQ},
    {"neu", kNone, kNone, CmpInst::FCMP_UNE},
    {"ltu", kNone, kNone, CmpInst::FCMP_ULT},
    {"leu", kNone, kNone, CmpInst::FCMP_ULE},
    {"gtu", kNone, kNone, CmpInst::FCMP_UGT},
    {"geu", kNone, kNone, CmpInst::FCMP_UGE},
    {"num", kNone, kNone, CmpInst::FCMP_ORD},
    {"nan", kNone, kNone, CmpInst::FCMP_UNO}};

const ComparisonRow *takeComparison(Emitter &emitter) {
  for (const ComparisonRow &row : kComparisons)
    if (emitter.take(row.name))
      return &row;
  emitter.fail("expected a comparison");
  return nullptr;
}

/// The outcome for each element.
SmallVector<Value *> compare(Emitter &emitter, const ComparisonRow &row,
                             ScalarType type, bool flushes, unsigned first) {
  const CmpInst::Predicate predicate = type.isFloat()    ? row.floating
                                       : type.isSigned() ? row.isSigned
                                                         : row.isUnsigned;
  SmallVector<Value *> results;
  if (predicate == kNone) {
    emitter.fail("expected a comparison of this type, got '." + row.name + "'");
    results.assign(type.lanes, emitter.builder.getFalse());
    return results;
  }
  for (auto [x, y] :
       llvm::zip(emitter.unpack(emitter.read(first, type), type.lanes),
                 emitter.unpack(emitter.read(first + 1, type), type.lanes))) {
    if (!type.isFloat()) {
      results.push_back(emitter.builder.CreateICmp(predicate, x, y));
      continue;
    }
    Value *values[] = {emitter.toFloat(x, type.getElement()),
                       emitter.toFloat(y, type.getElement())};
    if (flushes)
      for (Value *&value : values)
        value = emitter.flushDenormal(value);
    results.push_back(
        emitter.builder.CreateFCmp(predicate, values[0], values[1]));
  }
  return results;
}

/// Combines an outcome with a predicate that an operand gives.
Value *combine(Emitter &emitter, StringRef op, Value *outcome, Value *with) {
  if (op == "and")
    return emitter.builder.CreateAnd(outcome, with);
  if (op == "or")
    return emitter.builder.CreateOr(outcome, with);
  return emitter.builder.CreateXor(outcome, with);
}

void emitSetPredicate(Emitter &emitter) {
  const ComparisonRow *row = takeComparison(emitter);
  StringRef op = emitter.takeOneOf({"and", "or", "xor"});
  const bool flushes = emitter.take("ftz");
  ScalarType type = emitter.takeType();
  emitter.expectOperands(op.empty() ? 3 : 4, op.empty() ? 3 : 4);
  if (!row)
    return;
  SmallVector<Value *> outcomes =
      compare(emitter, *row, type, flushes, /*first=*/1);
  ArrayRef<Operand> results = emitter.getElements(emitter.getOperand(0));
  // The second is the opposite, or the outcome for the second element.
  if (type.lanes == 1 && results.size() == 2)
    outcomes.push_back(emitter.builder.CreateNot(outcomes[0]));
  Value *with = op.empty()
                    ? nullptr
                    : emitter.read(3, ScalarType{TypeKind::Predicate, 1, 1});
  for (auto [result, outcome] : llvm::zip(results, outcomes))
    emitter.write(result, with ? combine(emitter, op, outcome, with) : outcome);
}

void emitSet(Emitter &emitter) {
  const ComparisonRow *row = takeComparison(emitter);
  StringRef op = emitter.takeOneOf({"and", "or", "xor"});
  const bool flushes = emitter.take("ftz");
  ScalarType source = emitter.takeType();
  ScalarType type = emitter.takeType();
  emitter.expectOperands(op.empty() ? 3 : 4, op.empty() ? 3 : 4);
  if (!row)
    return;
  if (source.lanes != type.lanes && type.lanes != 1) {
    emitter.fail("expected as many elements in the result");
    return;
  }
  IRBuilder<> &b = emitter.builder;
  SmallVector<Value *> outcomes =
      compare(emitter, *row, source, flushes, /*first=*/1);
  const unsigned bits = type.bits / source.lanes;
  for (Value *&outcome : outcomes) {
    if (!op.empty())
      outcome = combine(emitter, op, outcome,
                        emitter.read(3, ScalarType{TypeKind::Predicate, 1, 1}));
    outcome = type.isFloat()
                  ? emitter.fromFloat(
                        b.CreateUIToFP(outcome, bits == 64 ? b.getDoubleTy()
                                                           : b.getFloatTy()),
                        {type.kind, bits, 1})
                  : b.CreateSExt(outcome, emitter.getBits(bits));
  }
  emitter.write(0u, emitter.pack(outcomes, type.bits));
}

void emitSelect(Emitter &emitter) {
  ScalarType type = emitter.takeType();
  emitter.expectOperands(4, 4);
  emitter.write(0u,
                emitter.builder.CreateSelect(emitter.readInteger(3, 1),
                                             emitter.read(1, type),
                                             emitter.read(2, type)),
                type.isSigned());
}

/// Selects by a sign.
void emitSelectBySign(Emitter &emitter) {
  const bool flushes = emitter.take("ftz");
  ScalarType by = emitter.takeType();
  ScalarType type = emitter.takeType();
  emitter.expectOperands(4, 4);
  Value *value = emitter.read(3, by);
  IRBuilder<> &b = emitter.builder;
  Value *isFirst;
  if (by.isFloat()) {
    value = emitter.toFloat(value, by);
    if (flushes)
      value = emitter.flushDenormal(value);
    isFirst = b.CreateFCmpOGE(value, ConstantFP::get(value->getType(), 0.0));
  } else {
    isFirst = b.CreateICmpSGE(value, Constant::getNullValue(value->getType()));
  }
  emitter.write(0u, b.CreateSelect(isFirst, emitter.read(1, type),
                                   emitter.read(2, type)));
}

constexpr OpcodeRow kRows[] = {{"setp", emitSetPredicate},
                               {"set", emitSet},
                               {"selp", emitSelect},
                               {"slct", emitSelectBySign}};

} // namespace

ArrayRef<OpcodeRow> getComparisonRows() { return kRows; }

} // namespace gridir::ptx
