//===- Lowering.cpp - What the patterns of one kernel share ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToLoops/Lowering.h"

#include "dialects/Support/SourceLines.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace gridir {

Value KernelLowering::allocate(Location loc, ArrayRef<int64_t> shape,
                               Type elementType) {
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  auto type = MemRefType::get(shape, elementType);
  return memref::AllocaOp::create(builder, loc, type,
                                  builder.getI64IntegerAttr(64));
}

Value KernelLowering::allocateForTasks(Location loc, ArrayRef<int64_t> shape,
                                       Type elementType, int64_t members) {
  Value buffer = allocate(loc, shape, elementType);
  MLIRContext *context = kernel.getContext();
  kernel::KernelDialect::BufferAttrHelper(context).setAttr(
      buffer.getDefiningOp(), kernel::BufferAttr::get(context, members));
  return buffer;
}

std::string KernelLowering::getName(Value ref) const {
  while (true) {
    if (auto found = names.find(ref); found != names.end())
      return found->second;
    auto view = ref.getDefiningOp<ViewLikeOpInterface>();
    if (!view)
      return "a Ref";
    ref = view.getViewSource();
  }
}

int64_t KernelLowering::addDiagnostic(Location loc, const Twine &message) {
  Attribute diagnostic = getLocatedText(loc, message);
  auto found = llvm::find(diagnostics, diagnostic);
  int64_t number = found - diagnostics.begin() + 1;
  if (found == diagnostics.end())
    diagnostics.push_back(diagnostic);
  return number;
}

void KernelLowering::reportIf(OpBuilder &builder, Location loc, Value condition,
                              const Twine &message, Value first, Value second) {
  int64_t number = addDiagnostic(loc, message);
  scf::IfOp::create(
      builder, loc, condition, [&](OpBuilder &builder, Location loc) {
        auto word = [&](Value value) {
          return value ? toI64(builder, loc, value)
                       : createI64(builder, loc, 0);
        };
        SmallVector<Value> words{createI64(builder, loc, number), word(first),
                                 word(second)};
        Value zero = createIndex(builder, loc, 0);
        Value stored = memref::LoadOp::create(builder, loc, status, zero);
        Value isFirst = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::eq, stored, word({}));
        scf::IfOp::create(
            builder, loc, isFirst, [&](OpBuilder &builder, Location loc) {
              for (auto [i, value] : llvm::enumerate(words))
                memref::StoreOp::create(builder, loc, value, status,
                                        createIndex(builder, loc, i));
              scf::YieldOp::create(builder, loc);
            });
        scf::YieldOp::create(builder, loc);
      });
}

LogicalResult KernelLowering::fail(Operation *op, const Twine &message) {
  failed = true;
  return op->emitError(message);
}

int64_t KernelLowering::addSite(Attribute site) {
  prints.push_back(site);
  return prints.size() - 1;
}

bool KernelLowering::recordsSemaphores() const {
  kernel::TasksAttr tasks = grid::getTasks(kernel);
  return tasks && tasks.getSemaphores();
}

bool KernelLowering::recordsAccesses() const {
  kernel::TasksAttr tasks = grid::getTasks(kernel);
  return tasks && (tasks.getRaces() || tasks.getUninitialized());
}

int64_t KernelLowering::addAccess(Location loc, const Twine &what) {
  Attribute access = getLocatedText(loc, what);
  auto found = llvm::find(accesses, access);
  int64_t site = found - accesses.begin();
  if (found == accesses.end())
    accesses.push_back(access);
  return site;
}

/// The operands that are uninitialized at the start of the kernel: outputs that
/// share no memory with an input.
SmallVector<Attribute> KernelLowering::getUnwrittenOperands() {
  llvm::SmallDenseSet<int64_t> aliased;
  for (auto [operand, output] : kernel.getAliasPairs())
    aliased.insert(output);
  SmallVector<Attribute> operands;
  for (auto [i, ref] : llvm::enumerate(kernel.getOutputRefs())) {
    unsigned operandNumber = ref.getArgNumber();
    RankedTensorType array =
        kernel.getOperandSpec(operandNumber).getArrayType();
    if (aliased.contains(i) || isa<grid::SemaphoreType>(array.getElementType()))
      continue;
    operands.push_back(kernel::UnwrittenAttr::get(
        kernel.getContext(), kernel.getNumDynamicDims() + operandNumber,
        getLocatedText(ref.getLoc(), kernel.getOperandName(operandNumber)),
        array));
  }
  return operands;
}

void KernelLowering::createABI(ModuleOp module) {
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  auto abi =
      kernel::ABIOp::create(builder, function.getLoc(), function.getName());
  abi.setDiagnosticsAttr(builder.getArrayAttr(diagnostics));
  abi.setPrintsAttr(builder.getArrayAttr(prints));
  abi.setAccessesAttr(builder.getArrayAttr(accesses));
  abi.setShares(hasShares);
  abi.setZeroedOperands(zeroedOperands);
  if (kernel::TasksAttr tasks = grid::getTasks(kernel))
    abi.setTasksAttr(tasks);
  if (recordsAccesses() || recordsSemaphores())
    abi.setGrid(kernel.getGridShape());
  if (recordsAccesses())
    abi.setUnwrittenOperandsAttr(builder.getArrayAttr(getUnwrittenOperands()));
}

ResultRange createRuntimeCall(OpBuilder &builder, Location loc,
                              KernelLowering &lowering, StringRef name,
                              ValueRange args, TypeRange results) {
  auto module = lowering.function->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    auto type = builder.getFunctionType(args.getTypes(), results);
    func::FuncOp::create(builder, loc, name, type).setPrivate();
  }
  return func::CallOp::create(builder, loc, name, results, args).getResults();
}

} // namespace gridir
