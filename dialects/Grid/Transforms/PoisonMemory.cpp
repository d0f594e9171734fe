//===- PoisonMemory.cpp - Fill memory that nothing has written ------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/Passes.h"

#include "dialects/Grid/Analysis/BlockAccess.h"
#include "dialects/Grid/Analysis/GridParallelism.h"
#include "dialects/Grid/Analysis/TaskPrograms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace gridir::grid {
#define GEN_PASS_DEF_GRIDPOISONMEMORYPASS
#include "dialects/Grid/Transforms/Passes.h.inc"
} // namespace gridir::grid

using namespace mlir;
using namespace gridir::grid;

/// True if a Ref is known to hold unsigned integers: an operand by its type, an
/// allocation of a kernel or scope by an attribute.
static bool isUnsigned(Value ref) {
  auto arg = dyn_cast<BlockArgument>(ref);
  if (!arg)
    return false;
  Operation *owner = arg.getOwner()->getParentOp();
  auto argNumbers = owner->getAttrOfType<DenseI64ArrayAttr>(kUnsignedAttrName);
  if (argNumbers &&
      llvm::is_contained(argNumbers.asArrayRef(), int64_t(arg.getArgNumber())))
    return true;
  auto kernel = dyn_cast<KernelOp>(owner);
  return kernel && arg.getArgNumber() < kernel.getNumOperandSpecs() &&
         kernel.getOperandSpec(arg.getArgNumber())
             .getElementType()
             .isUnsignedInteger();
}

static APInt getIntegerPoison(Value ref, unsigned width, MemoryFill fill) {
  // The highest bool is true, and so is Mosaic's.
  if (width == 1)
    return APInt(1, 1);
  if (fill == MemoryFill::Poison)
    return APInt::getSignedMinValue(width);
  return isUnsigned(ref) ? APInt::getMaxValue(width)
                         : APInt::getSignedMaxValue(width);
}

/// Returns the initial value of the elements of a Ref. Null for Refs without
/// such a value, such as semaphores.
static TypedAttr getPoisonedElement(Value ref, MemoryFill fill) {
  Type element = cast<MemRefType>(ref.getType()).getElementType();
  TypedAttr scalar;
  if (auto floating = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &semantics = floating.getFloatSemantics();
    scalar = FloatAttr::get(
        floating, APFloat::semanticsHasNaN(semantics)
                      ? APFloat::getNaN(semantics)
                      : APFloat::getLargest(semantics, /*Negative=*/true));
  } else if (auto integer = dyn_cast<IntegerType>(element)) {
    scalar = IntegerAttr::get(integer,
                              getIntegerPoison(ref, integer.getWidth(), fill));
  }
  if (scalar && fill == MemoryFill::Zero)
    scalar = Builder(element.getContext()).getZeroAttr(element);
  return scalar;
}

/// Returns the initial contents of a Ref; null as above.
static TypedAttr getPoison(Value ref, MemoryFill fill) {
  auto type = cast<MemRefType>(ref.getType());
  TypedAttr scalar = getPoisonedElement(ref, fill);
  if (!scalar || !type.hasStaticShape() || type.getRank() == 0)
    return type.hasStaticShape() ? scalar : TypedAttr();
  return DenseElementsAttr::get(
      RankedTensorType::get(type.getShape(), type.getElementType()),
      Attribute(scalar));
}

/// True if programs write such a Ref in the memory of others, possibly before
/// the owner begins.
static bool isWrittenByOthers(Value ref) {
  return llvm::any_of(ref.getUsers(), [&](Operation *user) {
    auto program = dyn_cast<ProgramOpInterface>(user);
    auto effects = dyn_cast<MemoryEffectOpInterface>(user);
    if (program && program.meetsOtherPrograms() && effects &&
        effects.getEffectOnValue<MemoryEffects::Write>(ref))
      return true;
    auto view = dyn_cast<RefViewOpInterface>(user);
    return view && isWrittenByOthers(user->getResult(0));
  });
}

namespace {

class GridPoisonMemoryPass
    : public gridir::grid::impl::GridPoisonMemoryPassBase<
          GridPoisonMemoryPass> {
public:
  using GridPoisonMemoryPassBase::GridPoisonMemoryPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    auto &access = getAnalysis<BlockAccess>();
    kernel.getBodyRegion().walk([&](ScopedOp scoped) {
      auto builder = OpBuilder::atBlockBegin(&scoped.getBody().front());
      ArrayAttr collective = scoped.getCollective().value_or(ArrayAttr());
      // If programs share a Ref, no program is known to enter its scope first.
      for (BlockArgument ref : scoped.getBody().getArguments())
        if (!isSharedByPrograms(kernel, cast<MemRefType>(ref.getType()),
                                collective))
          poison(builder, ref);
    });

    SmallVector<unsigned> sequential;
    for (unsigned dim = 0; dim < kernel.getRank(); ++dim)
      if (!isParallel(kernel.getDimSemantics(dim)))
        sequential.push_back(dim);
    auto builder = OpBuilder::atBlockBegin(kernel.getBodyBlock());
    // Scratch lives while the programs of the sequential dimensions run. Of
    // programs that share it, none is known to be the first.
    SmallVector<Value> scratch;
    for (BlockArgument ref : kernel.getScratchRefs())
      if (!isSharedByPrograms(kernel, cast<MemRefType>(ref.getType()), {}))
        scratch.push_back(ref);
    poisonAtFirst(builder, kernel, sequential, scratch);
    Attribute any = UnitAttr::get(&getContext());
    SmallVector<Attribute> initial;
    for (unsigned i = kernel.getNumIndexOperands() + kernel.getNumInputs(),
                  e = kernel.getNumOperandSpecs();
         i < e; ++i) {
      std::optional<SmallVector<unsigned>> dims =
          getRevisitingDims(access, i, sequential);
      Value ref = kernel.getBodyBlock()->getArgument(i);
      TypedAttr value = getPoisonedElement(ref, fill);
      initial.push_back(any);
      if (dims)
        poisonAtFirst(builder, kernel, *dims, ref);
      // No program may have some of its elements.
      if (value && access.getAliasSet(i).size() == 1) {
        initial.back() = value;
        numPoisoned += !dims;
      }
    }
    if (llvm::any_of(initial, [&](Attribute value) { return value != any; }))
      kernel->setAttr(kInitialResultsAttrName,
                      ArrayAttr::get(&getContext(), initial));
  }

private:
  void poison(OpBuilder &builder, Value ref) {
    TypedAttr value = getPoison(ref, fill);
    if (!value || isWrittenByOthers(ref))
      return;
    auto constant = arith::ConstantOp::create(builder, ref.getLoc(), value);
    StoreOp::create(builder, ref.getLoc(), constant, ref, /*mask=*/Value());
    ++numPoisoned;
  }

  /// Poisons Refs in the programs whose ids along some dimensions are 0.
  void poisonAtFirst(OpBuilder &builder, KernelOp kernel,
                     ArrayRef<unsigned> dims, ValueRange refs) {
    if (llvm::none_of(refs, [&](Value ref) {
          return static_cast<bool>(getPoison(ref, fill));
        }))
      return;
    OpBuilder::InsertionGuard guard(builder);
    Location loc = kernel.getLoc();
    Value first;
    for (unsigned dim : dims) {
      Value id = ProgramIdOp::create(builder, loc, builder.getI32Type(),
                                     builder.getI64IntegerAttr(dim));
      Value begin =
          arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
      Value is = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       id, begin);
      first = first ? arith::AndIOp::create(builder, loc, first, is) : is;
    }
    if (first) {
      auto branch = scf::IfOp::create(builder, loc, first);
      builder.setInsertionPointToStart(branch.thenBlock());
    }
    for (Value ref : refs)
      poison(builder, ref);
  }

  /// The sequential dimensions along which an output's block stays: its first
  /// program is at 0 in all of them. Nothing where that is not known, or where
  /// parallel programs share the block, or where an input is in the same
  /// memory.
  static std::optional<SmallVector<unsigned>>
  getRevisitingDims(BlockAccess &access, unsigned output,
                    ArrayRef<unsigned> sequential) {
    KernelOp kernel = access.getKernel();
    if (access.getAliasSet(output).size() > 1)
      return std::nullopt;
    SmallVector<unsigned> dims;
    for (unsigned dim = 0; dim < kernel.getRank(); ++dim) {
      bool isSequential = llvm::is_contained(sequential, dim);
      if (!access.isIndexedBy(output, dim)) {
        if (!isSequential)
          return std::nullopt;
        dims.push_back(dim);
        continue;
      }
      // The block must change at each step; otherwise it would be filled again.
      AffineExpr id = getAffineDimExpr(dim, kernel.getContext());
      if (llvm::none_of(access.getBlock(output).lows, [&](AffineExpr low) {
            auto product = dyn_cast<AffineBinaryOpExpr>(low);
            return low == id ||
                   (product && product.getKind() == AffineExprKind::Mul &&
                    product.getLHS() == id);
          }))
        return std::nullopt;
    }
    return dims;
  }
};

} // namespace
