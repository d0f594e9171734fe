//===- LowerPrints.cpp - print from a GPU -------------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/GPU/Transforms/MappedKernel.h"
#include "dialects/GPU/Transforms/Passes.h"
#include "dialects/GPU/Transforms/PrintFormat.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

namespace gridir::gpu {
#define GEN_PASS_DEF_GPULOWERPRINTSPASS
#include "dialects/GPU/Transforms/Passes.h.inc"
} // namespace gridir::gpu

using namespace mlir;
using namespace gridir::gpu;

namespace {

/// Prints the values of one site, from the buffers that hold them.
class Printer {
public:
  Printer(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  void printText(StringRef text) {
    if (!text.empty())
      mlir::gpu::PrintfOp::create(builder, loc, text, ValueRange());
  }

  /// Prints a scalar, or an array in brackets for each of its dimensions.
  void printValue(Value memory, Type declared, StringRef spec,
                  SmallVector<Value> indices = {}) {
    auto type = cast<MemRefType>(memory.getType());
    if (indices.size() == static_cast<size_t>(type.getRank())) {
      Value element = memref::LoadOp::create(builder, loc, memory, indices);
      return printElement(element, getElementTypeOrSelf(declared), spec);
    }
    printText("[");
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value extent = arith::ConstantIndexOp::create(
        builder, loc, type.getDimSize(indices.size()));
    scf::ForOp::create(
        builder, loc, zero, extent, one, ValueRange(),
        [&](OpBuilder &inner, Location loc, Value index, ValueRange) {
          Value follows = arith::CmpIOp::create(
              inner, loc, arith::CmpIPredicate::ne, index, zero);
          scf::IfOp::create(inner, loc, follows,
                            [&](OpBuilder &inner, Location loc) {
                              Printer(inner, loc).printText(" ");
                              scf::YieldOp::create(inner, loc);
                            });
          SmallVector<Value> inside(indices);
          inside.push_back(index);
          Printer(inner, loc).printValue(memory, declared, spec, inside);
          scf::YieldOp::create(inner, loc);
        });
    printText("]");
  }

private:
  void printElement(Value element, Type declared, StringRef spec) {
    auto [directive, number] = createPrintedNumber(
        builder, loc, element,
        declared.isUnsignedInteger() || declared.isInteger(1), spec);
    mlir::gpu::PrintfOp::create(builder, loc, directive, number);
  }

  OpBuilder &builder;
  Location loc;
};

class GPULowerPrintsPass
    : public gridir::gpu::impl::GPULowerPrintsPassBase<GPULowerPrintsPass> {
public:
  using GPULowerPrintsPassBase::GPULowerPrintsPassBase;

  void runOnOperation() override {
    if (isOutlined(getOperation()))
      return markAllAnalysesPreserved();
    ModuleOp module = getOperation();
    FailureOr<func::FuncOp> kernel = getKernelFunction(module);
    if (failed(kernel))
      return signalPassFailure();
    sites = gridir::kernel::getABI(module)->getPrints();
    SmallVector<func::CallOp> calls;
    kernel->walk([&](func::CallOp call) {
      if (isPrint(call))
        calls.push_back(call);
    });
    for (func::CallOp call : calls)
      if (failed(lower(call)))
        return signalPassFailure();
    for (StringRef name : kPrintFunctions)
      if (Operation *function = module.lookupSymbol(name))
        function->erase();
  }

private:
  LogicalResult lower(func::CallOp call) {
    OpBuilder builder(call);
    Printer printer(builder, call.getLoc());
    if (call.getNumResults() != 0)
      return call.emitError("expected a print without results, got ")
             << call.getResultTypes();
    if (call.getCallee() == kPrintFunctions[0]) {
      APInt number;
      if (call.getNumOperands() == 0 ||
          !matchPattern(call.getOperand(0), m_ConstantInt(&number)) ||
          number.uge(sites.size()))
        return call.emitError("expected the number of a site in prints of the "
                              "kernel.abi");
      auto site =
          dyn_cast<gridir::kernel::PrintAttr>(sites[number.getZExtValue()]);
      if (!site)
        return call.emitError("expected a site that prints, got ")
               << sites[number.getZExtValue()];
      types = site.getTypes();
      format.emplace(site.getFormat().getValue());
      if (types.size() < format->specs.size())
        return call.emitError("expected a type for each of ")
               << format->specs.size() << " values, got " << site;
      next = 0;
      printer.printText(format->texts.front());
      ++numPrints;
    } else if (call.getCallee() == kPrintFunctions[1]) {
      Value memory =
          call.getNumOperands() == 0 ? Value() : getMemory(call.getOperand(0));
      if (!memory || !format || next >= format->specs.size())
        return call.emitError("expected the address of a buffer to print");
      printer.printValue(memory, types[next], format->specs[next]);
      printer.printText(format->texts[++next]);
    } else {
      printer.printText("\n");
    }
    call.erase();
    return success();
  }

  /// The buffer whose address the value is.
  static Value getMemory(Value address) {
    if (auto pointer = address.getDefiningOp<LLVM::IntToPtrOp>())
      address = pointer.getArg();
    if (auto cast = address.getDefiningOp<arith::IndexCastOp>())
      address = cast.getIn();
    auto extract =
        address.getDefiningOp<memref::ExtractAlignedPointerAsIndexOp>();
    return extract && isa<MemRefType>(extract.getSource().getType())
               ? extract.getSource()
               : Value();
  }

  ArrayAttr sites;
  ArrayRef<Type> types;
  std::optional<PrintFormat> format;
  size_t next = 0;
};

} // namespace
