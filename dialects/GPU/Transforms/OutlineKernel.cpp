//===- OutlineKernel.cpp - make a mapped kernel a kernel of the gpu dialect --===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/GPU/Transforms/MappedKernel.h"
#include "dialects/GPU/Transforms/Passes.h"
#include "dialects/GPU/Transforms/PtxName.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace gridir::gpu {
#define GEN_PASS_DEF_GPUOUTLINEKERNELPASS
#include "dialects/GPU/Transforms/Passes.h.inc"
} // namespace gridir::gpu

using namespace mlir;
using namespace gridir::gpu;
namespace kernel = gridir::kernel;

namespace {

class GPUOutlineKernelPass
    : public gridir::gpu::impl::GPUOutlineKernelPassBase<GPUOutlineKernelPass> {
public:
  using GPUOutlineKernelPassBase::GPUOutlineKernelPassBase;

  void runOnOperation() override {
    if (isOutlined(getOperation()))
      return markAllAnalysesPreserved();
    ModuleOp module = getOperation();
    FailureOr<MappedKernel> kernel = getMappedKernel(module);
    if (failed(kernel))
      return signalPassFailure();
    auto [host, ctas, abi, numThreads] = *kernel;
    if (!abi.getWorkspaceBytes()) {
      abi.emitError("expected the workspace of a CTA in workspace_bytes; run "
                    "gpu-plan-memory first");
      return signalPassFailure();
    }
    int64_t workspace = *abi.getWorkspaceBytes();
    if (ctas && failed(checkMemory(ctas)))
      return signalPassFailure();
    // A kernel that does nothing is still launched once.
    bool oneCta = !ctas || ctas.getStaticUpperBound()[0] == 1;
    std::optional<int64_t> range = getStaticRange(abi);
    abi.setParamsAttr(getParams(host, range, workspace));

    mlir::gpu::GPUFuncOp function = createFunction(host, numThreads, workspace);
    if (ctas) {
      mapMemory(ctas, function, workspace);
      mapThreads(ctas, numThreads);
      mapBlocks(ctas);
    }
    host.erase();

    if (range)
      abi.setNumCtas(oneCta ? 1 : *range);
    abi.setEntry(function.getName());
    ++numKernels;
  }

private:
  /// Describes the arguments of `kernel`, and the workspace after them.
  static ArrayAttr getParams(func::FuncOp kernel, std::optional<int64_t> range,
                             int64_t workspace) {
    MLIRContext *context = kernel.getContext();
    unsigned numOperands = kernel.getNumArguments() - 3;
    auto report = cast<MemRefType>(kernel.getArgument(numOperands).getType());
    SmallVector<Attribute> params;
    for (unsigned i = 0; i < numOperands; ++i)
      params.push_back(kernel::OperandAttr::get(context, i));
    params.push_back(kernel::ReportAttr::get(context, report.getDimSize(0)));
    params.push_back(kernel::ScalarAttr::get(context, 0));
    params.push_back(range ? Attribute(kernel::ScalarAttr::get(context, *range))
                           : Attribute(kernel::NumItemsAttr::get(context)));
    params.push_back(kernel::WorkspaceAttr::get(context, workspace));
    return ArrayAttr::get(context, params);
  }

  /// Moves the body of `kernel` to a kernel of the GPU. Its arguments are those
  /// of `kernel`, in their order, and the workspace of the first CTA.
  static mlir::gpu::GPUFuncOp
  createFunction(func::FuncOp kernel, int64_t numThreads, int64_t workspace) {
    OpBuilder builder(kernel);
    Location loc = kernel.getLoc();
    std::string name = toPtxName(kernel.getName());
    auto module = mlir::gpu::GPUModuleOp::create(builder, loc, name);
    // The gpu.module may reuse the name of the host function, which is erased
    // below.
    builder.setInsertionPointToStart(module.getBody());
    SmallVector<Type> types(kernel.getArgumentTypes());
    types.push_back(MemRefType::get({workspace}, builder.getI8Type()));
    auto function = mlir::gpu::GPUFuncOp::create(
        builder, loc, name, builder.getFunctionType(types, {}));
    function->setAttr(mlir::gpu::GPUDialect::getKernelFuncAttrName(),
                      builder.getUnitAttr());
    // Without this attribute, ptxas spills registers to fit more CTAs on a
    // multiprocessor.
    function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                      builder.getI32IntegerAttr(1));
    function.setKnownBlockSizeAttr(
        builder.getDenseI32ArrayAttr({static_cast<int32_t>(numThreads), 1, 1}));
    for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
      if (Attribute noAlias =
              kernel.getArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName()))
        function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                            noAlias);
    Block &from = kernel.getBody().front(), &to = function.getBody().front();
    for (auto [old, fresh] : llvm::zip(from.getArguments(), to.getArguments()))
      old.replaceAllUsesWith(fresh);
    Operation *last = from.getTerminator();
    to.getOperations().splice(to.end(), from.getOperations(), from.begin(),
                              last->getIterator());
    builder.setInsertionPointToEnd(&to);
    mlir::gpu::ReturnOp::create(builder, loc);
    return function;
  }

  /// The workspace of a CTA is found by the views into it, and shared memory by
  /// the number of its bytes.
  static LogicalResult checkMemory(scf::ForallOp ctas) {
    for (auto buffer : ctas.getBody()->getOps<memref::AllocOp>()) {
      MemRefType type = buffer.getType();
      if (type.getMemorySpace()) {
        if (type.getRank() != 1 || !type.hasStaticShape() ||
            !type.getElementType().isInteger(8))
          return buffer.emitError("expected an array of bytes as the shared "
                                  "memory, got ")
                 << type << "; run gpu-plan-memory first";
        continue;
      }
      for (Operation *user : buffer->getUsers())
        if (!isa<memref::ViewOp>(user))
          return user->emitError("expected a view into the workspace; run "
                                 "gpu-plan-memory first");
    }
    return success();
  }

  static void mapMemory(scf::ForallOp ctas, mlir::gpu::GPUFuncOp function,
                        int64_t workspace) {
    SmallVector<memref::AllocOp> buffers(
        ctas.getBody()->getOps<memref::AllocOp>());
    for (memref::AllocOp buffer : buffers) {
      OpBuilder builder(buffer);
      if (buffer.getType().getMemorySpace()) {
        buffer.replaceAllUsesWith(createShared(builder, buffer, function));
        buffer.erase();
        continue;
      }
      // A view's offset is counted from the workspace of the first CTA.
      Location loc = buffer.getLoc();
      Value number =
          mlir::gpu::BlockIdOp::create(builder, loc, mlir::gpu::Dimension::x);
      Value size = arith::ConstantIndexOp::create(builder, loc, workspace);
      Value base = arith::MulIOp::create(builder, loc, number, size);
      for (Operation *user : llvm::make_early_inc_range(buffer->getUsers())) {
        auto view = cast<memref::ViewOp>(user);
        builder.setInsertionPoint(view);
        Value shift = arith::AddIOp::create(builder, view.getLoc(), base,
                                            view.getByteShift());
        view.getByteShiftMutable().assign(shift);
        view.getSourceMutable().assign(function.getArguments().back());
      }
      buffer.erase();
    }
  }

  /// Dynamic shared memory, as an external array of size 0:
  /// `gpu.dynamic_shared_memory` would overlap static arrays.
  static Value createShared(OpBuilder &builder, memref::AllocOp buffer,
                            mlir::gpu::GPUFuncOp function) {
    Location loc = buffer.getLoc();
    OpBuilder global(function);
    auto type =
        MemRefType::get({0}, builder.getI8Type(), MemRefLayoutAttrInterface(),
                        buffer.getType().getMemorySpace());
    memref::GlobalOp::create(global, loc, "shared_memory", StringAttr(), type,
                             Attribute(), /*constant=*/false,
                             builder.getI64IntegerAttr(128));
    Value memory =
        memref::GetGlobalOp::create(builder, loc, type, "shared_memory");
    OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
    OpFoldResult size = builder.getIndexAttr(buffer.getType().getDimSize(0));
    return memref::ReinterpretCastOp::create(builder, loc, buffer.getType(),
                                             memory, zero, ArrayRef(size),
                                             ArrayRef(one));
  }

  static void mapThreads(scf::ForallOp ctas, int64_t numThreads) {
    OpBuilder builder = OpBuilder::atBlockBegin(ctas.getBody());
    Location loc = ctas.getLoc();
    Value thread =
        mlir::gpu::ThreadIdOp::create(builder, loc, mlir::gpu::Dimension::x);
    SmallVector<scf::ForallOp> loops;
    ctas.getBody()->walk([&](scf::ForallOp loop) {
      if (isThreadLoop(loop))
        loops.push_back(loop);
    });
    for (scf::ForallOp loop : loops) {
      builder.setInsertionPoint(loop);
      loop.getInductionVar(0).replaceAllUsesWith(thread);
      Operation *end = loop.getTerminator();
      Block *body = loop.getBody();
      auto move = [&](Operation *before) {
        before->getBlock()->getOperations().splice(
            before->getIterator(), body->getOperations(), body->begin(),
            end->getIterator());
      };
      int64_t count = loop.getStaticUpperBound()[0];
      if (count == numThreads) {
        move(loop);
      } else {
        Value bound = arith::ConstantIndexOp::create(builder, loc, count);
        Value runs = arith::CmpIOp::create(
            builder, loop.getLoc(), arith::CmpIPredicate::ult, thread, bound);
        auto guard = scf::IfOp::create(builder, loop.getLoc(), runs,
                                       /*withElseRegion=*/false);
        move(guard.thenYield());
      }
      loop.erase();
    }
  }

  static void mapBlocks(scf::ForallOp ctas) {
    OpBuilder builder(ctas);
    Location loc = ctas.getLoc();
    Value item =
        mlir::gpu::BlockIdOp::create(builder, loc, mlir::gpu::Dimension::x);
    Value first = ctas.getLowerBound(builder)[0];
    item = arith::AddIOp::create(builder, loc, first, item);
    ctas.getInductionVar(0).replaceAllUsesWith(item);
    Block *body = ctas.getBody();
    ctas->getBlock()->getOperations().splice(
        ctas->getIterator(), body->getOperations(), body->begin(),
        ctas.getTerminator()->getIterator());
    ctas.erase();
  }
};

} // namespace
