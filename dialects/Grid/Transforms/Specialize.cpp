//===- Specialize.cpp - Pin sizes, fold dimensions, drop operands ---------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/Passes.h"

#include "dialects/Grid/IR/Grid.h"
#include "dialects/Grid/IR/KernelParams.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

namespace gridir::grid {
#define GEN_PASS_DEF_GRIDSPECIALIZEPASS
#include "dialects/Grid/Transforms/Passes.h.inc"
} // namespace gridir::grid

using namespace mlir;
using namespace gridir::grid;

static ArrayAttr eraseElement(ArrayAttr array, unsigned i) {
  SmallVector<Attribute> elements(array.getValue());
  elements.erase(elements.begin() + i);
  return ArrayAttr::get(array.getContext(), elements);
}

/// The index maps of a kernel.
static MutableArrayRef<Region> getIndexMaps(KernelOp kernel) {
  return kernel->getRegions().drop_front();
}

//===----------------------------------------------------------------------===//
// Grid dimensions
//===----------------------------------------------------------------------===//

static void setDim(KernelOp kernel, unsigned dim, DimAttr attr) {
  SmallVector<Attribute> dims(kernel.getDims().getValue());
  dims[dim] = attr;
  kernel.setDimsAttr(ArrayAttr::get(kernel.getContext(), dims));
}

/// Removes dimension `dim` from the semantics of the kernel and of the compiler
/// parameters. `heir`, a dimension that stands for both from here on, inherits
/// it, and is arbitrary if the two differ.
static void eraseDimSemantics(KernelOp kernel, unsigned dim,
                              std::optional<unsigned> heir) {
  MLIRContext *context = kernel.getContext();
  if (kernel.getSemantics()) {
    SmallVector<Attribute> semantics(kernel.getSemanticsAttr().getValue());
    if (heir && semantics[*heir] != semantics[dim])
      semantics[*heir] =
          DimSemanticsAttr::get(context, DimSemantics::Arbitrary);
    semantics.erase(semantics.begin() + dim);
    kernel.setSemanticsAttr(ArrayAttr::get(context, semantics));
  }
  // The parameters are the author's, and do not include the dimensions of
  // `jax.vmap`.
  if (!kernel.getParams() || kernel.getDim(dim).getVmapped())
    return;
  unsigned authored = 0;
  for (unsigned i = 0; i < dim; ++i)
    authored += !kernel.getDim(i).getVmapped();
  SmallVector<Attribute> records;
  for (Attribute record : kernel.getParamsAttr()) {
    if (ArrayAttr claims =
            cast<ParamsAttrInterface>(record).getDimensionClaims()) {
      // No other field of a record is an array of these strings.
      AttrTypeReplacer replacer;
      replacer.addReplacement([&](ArrayAttr array) -> std::optional<Attribute> {
        if (array != claims)
          return std::nullopt;
        return eraseElement(array, authored);
      });
      record = replacer.replace(record);
    }
    records.push_back(record);
  }
  kernel.setParamsAttr(ArrayAttr::get(context, records));
}

/// Removes grid dimension `dim`. `getId` computes its program id in an index
/// map or in the body, whose dimensions already lack it.
static void
eraseDim(KernelOp kernel, unsigned dim, int64_t size,
         std::optional<unsigned> heir,
         function_ref<Value(OpBuilder &, Location, Value heirId)> getId) {
  Attribute name = kernel.getDim(dim).getName();
  for (Region &map : getIndexMaps(kernel)) {
    Block &block = map.front();
    OpBuilder builder = OpBuilder::atBlockBegin(&block);
    BlockArgument id = block.getArgument(dim);
    if (!id.use_empty())
      id.replaceAllUsesWith(
          getId(builder, id.getLoc(),
                heir ? Value(block.getArgument(*heir)) : Value()));
    block.eraseArgument(dim);
  }
  SmallVector<Operation *> axes;
  kernel.getBodyRegion().walk([&](Operation *op) {
    if (isa<ProgramIdOp, NumProgramsOp>(op))
      axes.push_back(op);
  });
  for (Operation *op : axes) {
    Attribute axis = op->getAttr("axis");
    auto number = dyn_cast<IntegerAttr>(axis);
    OpBuilder builder(op);
    if (number ? number.getInt() == dim : axis == name) {
      Value value;
      if (isa<NumProgramsOp>(op)) {
        value = arith::ConstantIntOp::create(builder, op->getLoc(),
                                             builder.getI32Type(), size);
      } else {
        // The heir is the dimension before, so it keeps its number.
        Value heirId;
        if (heir)
          heirId =
              ProgramIdOp::create(builder, op->getLoc(), builder.getI32Type(),
                                  builder.getI64IntegerAttr(*heir));
        value = getId(builder, op->getLoc(), heirId);
      }
      op->replaceAllUsesWith(ValueRange(value));
      op->erase();
    } else if (number && number.getInt() > dim) {
      op->setAttr("axis", builder.getI64IntegerAttr(number.getInt() - 1));
    }
  }
  eraseDimSemantics(kernel, dim, heir);
  kernel.setDimsAttr(eraseElement(kernel.getDims(), dim));
}

/// True if a use names dimensions that are not program ids: Refs that
/// `grid.scoped` shares, and dimensions of a mesh.
static bool isAddressed(KernelOp kernel, unsigned dim) {
  if (kernel.getDim(dim).getKind() != DimKind::Grid)
    return true;
  return kernel.getBodyRegion()
      .walk([](ScopedOp scoped) {
        return scoped.getCollective() ? WalkResult::interrupt()
                                      : WalkResult::advance();
      })
      .wasInterrupted();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

class GridSpecializePass
    : public gridir::grid::impl::GridSpecializePassBase<GridSpecializePass> {
public:
  using GridSpecializePassBase::GridSpecializePassBase;

  void runOnOperation() override {
    SymbolTableCollection symbols;
    llvm::MapVector<KernelOp, SmallVector<CallOp>> callsOf;
    getOperation().walk([&](KernelOp kernel) { callsOf[kernel]; });
    getOperation().walk([&](CallOp call) {
      if (auto kernel = symbols.lookupNearestSymbolFrom<KernelOp>(
              call, call.getKernelAttr()))
        callsOf[kernel].push_back(call);
    });
    for (auto &[kernel, calls] : callsOf) {
      if (failed(pinSizes(kernel, calls)))
        return signalPassFailure();
      foldUnitDims(kernel);
      foldVmappedDims(kernel);
      dropScratch(kernel);
      if (isClosed(kernel, calls))
        dropOperands(kernel, calls);
    }
  }

private:
  /// Reports the change of a grid dimension, with its original number.
  void report(KernelOp kernel, StringRef what, unsigned dim) {
    remark::passed(
        kernel.getLoc(),
        remark::RemarkOpts::name("dimension").category(getArgument()))
        << ("dimension " + Twine(dim) + " of " + kernel.getSymName() + " is " +
            what)
               .str();
  }

  /// True if all calls of a kernel are known, so that they may change with it.
  bool isClosed(KernelOp kernel, ArrayRef<CallOp> calls) {
    if (!SymbolTable::lookupNearestSymbolFrom(kernel->getParentOp(),
                                              kernel.getSymNameAttr()) ||
        !cast<SymbolOpInterface>(kernel.getOperation()).isPrivate())
      return false;
    std::optional<SymbolTable::UseRange> uses =
        SymbolTable::getSymbolUses(kernel.getSymNameAttr(), getOperation());
    return uses && llvm::range_size(*uses) == calls.size();
  }

  LogicalResult pinSizes(KernelOp kernel, ArrayRef<CallOp> calls) {
    unsigned numDynamic = kernel.getNumDynamicDims();
    if (numDynamic == 0)
      return success();
    if (!grid.empty() && grid.size() != numDynamic)
      return kernel.emitError()
             << "expected a size for each of " << numDynamic
             << " dynamic grid dimensions, got " << grid.size();
    bool closed = isClosed(kernel, calls);
    // The position of the next dynamic size among those that calls still pass.
    unsigned position = 0;
    for (unsigned dim = 0, number = 0; dim < kernel.getRank(); ++dim) {
      DimAttr attr = kernel.getDim(dim);
      if (!attr.isDynamic())
        continue;
      std::optional<int64_t> size;
      if (!grid.empty())
        size = grid[number++];
      else if (closed)
        size = getCommonSize(calls, position);
      if (!size) {
        ++position;
        continue;
      }
      if (*size < 0)
        return kernel.emitError()
               << "expected a non-negative size of dimension " << dim
               << ", got " << *size;
      for (CallOp call : calls) {
        APInt passed;
        if (matchPattern(call.getDynamicSizes()[position],
                         m_ConstantInt(&passed)) &&
            passed.getSExtValue() != *size) {
          InFlightDiagnostic diagnostic = call.emitError()
                                          << "expected " << *size
                                          << " programs along dimension " << dim
                                          << ", got " << passed.getSExtValue();
          diagnostic.attachNote(kernel.getLoc()) << "the size is set here";
          return diagnostic;
        }
        call.getDynamicSizesMutable().erase(position);
      }
      setDim(kernel, dim,
             DimAttr::get(&getContext(), *size, attr.getName(),
                          attr.getVmapped(), attr.getKind()));
      report(kernel, "pinned", dim);
      ++numPinned;
    }
    return success();
  }

  /// The constant that all calls pass as one dynamic size.
  static std::optional<int64_t> getCommonSize(ArrayRef<CallOp> calls,
                                              unsigned position) {
    std::optional<int64_t> size;
    for (CallOp call : calls) {
      APInt passed;
      if (!matchPattern(call.getDynamicSizes()[position],
                        m_ConstantInt(&passed)) ||
          (size && *size != passed.getSExtValue()))
        return std::nullopt;
      size = passed.getSExtValue();
    }
    return size;
  }

  void foldUnitDims(KernelOp kernel) {
    for (unsigned dim = kernel.getRank(); dim-- > 0;) {
      if (kernel.getDim(dim).getSize() != 1 || isAddressed(kernel, dim))
        continue;
      eraseDim(kernel, dim, 1, std::nullopt,
               [](OpBuilder &builder, Location loc, Value) -> Value {
                 return arith::ConstantIntOp::create(builder, loc,
                                                     builder.getI32Type(), 0);
               });
      report(kernel, "folded", dim);
      ++numFolded;
    }
  }

  /// Folds a dimension that `jax.vmap` made into the one before it.
  void foldVmappedDims(KernelOp kernel) {
    auto isFoldable = [&](unsigned dim) {
      DimAttr attr = kernel.getDim(dim);
      return attr.getVmapped() && !attr.isDynamic() && !attr.getName() &&
             attr.getSize() > 0 && !isAddressed(kernel, dim);
    };
    for (unsigned dim = kernel.getRank(); dim-- > 1;) {
      if (!isFoldable(dim) || !isFoldable(dim - 1))
        continue;
      int64_t outer = kernel.getDim(dim - 1).getSize(),
              inner = kernel.getDim(dim).getSize();
      // The outer id is the quotient of the joint id, and the inner id is the
      // remainder.
      auto divide = [&](OpBuilder &builder, Location loc, Value id) -> Value {
        Value size = arith::ConstantIntOp::create(builder, loc,
                                                  builder.getI32Type(), inner);
        return arith::FloorDivSIOp::create(builder, loc, id, size);
      };
      splitOuterId(kernel, dim - 1, outer, divide);
      eraseDim(kernel, dim, inner, dim - 1,
               [&](OpBuilder &builder, Location loc, Value id) -> Value {
                 Value size = arith::ConstantIntOp::create(
                     builder, loc, builder.getI32Type(), inner);
                 Value whole = arith::MulIOp::create(
                     builder, loc, divide(builder, loc, id), size);
                 return arith::SubIOp::create(builder, loc, id, whole);
               });
      setDim(kernel, dim - 1,
             DimAttr::get(&getContext(), outer * inner, {}, /*vmapped=*/true,
                          DimKind::Grid));
      report(kernel, "folded", dim);
      ++numFolded;
    }
  }

  /// Makes every use of the id of a dimension one of the quotient of that id.
  static void
  splitOuterId(KernelOp kernel, unsigned dim, int64_t size,
               function_ref<Value(OpBuilder &, Location, Value)> divide) {
    for (Region &map : getIndexMaps(kernel)) {
      BlockArgument id = map.front().getArgument(dim);
      if (id.use_empty())
        continue;
      OpBuilder builder = OpBuilder::atBlockBegin(&map.front());
      Value quotient = divide(builder, id.getLoc(), id);
      id.replaceAllUsesExcept(quotient, quotient.getDefiningOp());
    }
    kernel.getBodyRegion().walk([&](Operation *op) {
      // Any other op may have an attribute of this name, of any type.
      if (!isa<NumProgramsOp, ProgramIdOp>(op))
        return;
      auto axis = dyn_cast<IntegerAttr>(op->getAttr("axis"));
      if (!axis || axis.getInt() != dim)
        return;
      OpBuilder builder(op);
      if (isa<NumProgramsOp>(op)) {
        op->replaceAllUsesWith(
            ValueRange(arith::ConstantIntOp::create(builder, op->getLoc(),
                                                    builder.getI32Type(), size)
                           .getResult()));
      } else {
        builder.setInsertionPointAfter(op);
        Value quotient = divide(builder, op->getLoc(), op->getResult(0));
        op->getResult(0).replaceAllUsesExcept(quotient,
                                              quotient.getDefiningOp());
      }
    });
  }

  void dropScratch(KernelOp kernel) {
    Block *body = kernel.getBodyBlock();
    for (unsigned i = body->getNumArguments();
         i-- > kernel.getNumOperandSpecs();) {
      if (!body->getArgument(i).use_empty())
        continue;
      body->eraseArgument(i);
      ++numDropped;
    }
  }

  void dropOperands(KernelOp kernel, ArrayRef<CallOp> calls) {
    unsigned numIndex = kernel.getNumIndexOperands();
    SmallVector<Region *> keptMaps = llvm::map_to_vector(
        getIndexMaps(kernel), [](Region &map) { return &map; });
    bool changed = false;
    for (unsigned i = numIndex + kernel.getNumInputs(); i-- > 0;) {
      if (isUsed(kernel, i))
        continue;
      if (i >= numIndex)
        keptMaps.erase(keptMaps.begin() + (i - numIndex));
      dropOperand(kernel, i, calls);
      changed = true;
      ++numDropped;
    }
    if (changed)
      rebuild(kernel, keptMaps);
  }

  static bool isUsed(KernelOp kernel, unsigned operand) {
    if (!kernel.getBodyBlock()->getArgument(operand).use_empty())
      return true;
    if (llvm::any_of(kernel.getAliasPairs(),
                     [&](auto pair) { return pair.first == operand; }))
      return true;
    return operand < kernel.getNumIndexOperands() &&
           llvm::any_of(
               getIndexMaps(kernel),
               [&](Region &map) {
                 return !map.getArgument(kernel.getRank() + operand)
                             .use_empty();
               });
  }

  /// Removes an operand from all attributes and regions except the list of
  /// index maps.
  void dropOperand(KernelOp kernel, unsigned operand, ArrayRef<CallOp> calls) {
    unsigned numIndex = kernel.getNumIndexOperands();
    bool isIndex = operand < numIndex;
    kernel.getBodyBlock()->eraseArgument(operand);
    if (isIndex) {
      for (Region &map : getIndexMaps(kernel))
        map.eraseArgument(kernel.getRank() + operand);
      kernel.setIndexOperandsAttr(
          eraseElement(kernel.getIndexOperands(), operand));
    } else {
      kernel.setInputsAttr(
          eraseElement(kernel.getInputs(), operand - numIndex));
    }
    if (kernel.getAliases()) {
      SmallVector<Attribute> aliases;
      for (auto [from, to] : kernel.getAliasPairs())
        aliases.push_back(DenseI64ArrayAttr::get(
            &getContext(),
            {from > static_cast<int64_t>(operand) ? from - 1 : from, to}));
      kernel.setAliasesAttr(ArrayAttr::get(&getContext(), aliases));
    }
    for (CallOp call : calls) {
      if (isIndex)
        call.getIndexOperandsMutable().erase(operand);
      else
        call.getInputsMutable().erase(operand - numIndex);
    }
  }

  /// An op keeps the number of its regions, so a kernel with fewer index maps
  /// is another op.
  static void rebuild(KernelOp kernel, ArrayRef<Region *> maps) {
    OperationState state(kernel.getLoc(), KernelOp::getOperationName());
    state.addAttributes(kernel->getAttrs());
    state.addRegion()->takeBody(kernel.getBodyRegion());
    for (Region *map : maps)
      state.addRegion()->takeBody(*map);
    OpBuilder(kernel).create(state);
    kernel.erase();
  }
};

} // namespace
