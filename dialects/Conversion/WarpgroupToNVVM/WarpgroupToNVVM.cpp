//===- WarpgroupToNVVM.cpp - From a warpgroup program to a kernel of the GPU ===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/Lowering.h"

#include "dialects/Conversion/Passes.h"
#include "dialects/GPU/Target/GPUTarget.h"
#include "dialects/GPU/Transforms/PtxName.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace gridir {
#define GEN_PASS_DEF_CONVERTWARPGROUPTONVVMPASS
#include "dialects/Conversion/Passes.h.inc"
} // namespace gridir

using namespace mlir;
using namespace gridir;
using namespace gridir::warpgroup_to_nvvm;

namespace gridir::warpgroup_to_nvvm {

Type Lowering::getMapElementType(Type element, bool isSigned) {
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer || integer.getWidth() < 8)
    return element;
  return IntegerType::get(element.getContext(), integer.getWidth(),
                          isSigned ? IntegerType::Signed
                                   : IntegerType::Unsigned);
}

Value Lowering::getTensorMap(kernel::TensorMapAttr map) {
  Block &entry = function.getBody().front();
  unsigned first = entry.getNumArguments() - tensorMaps.size();
  auto known = llvm::find(tensorMaps, map);
  if (known != tensorMaps.end())
    return entry.getArgument(first + (known - tensorMaps.begin()));
  tensorMaps.push_back(map);
  return entry.addArgument(LLVM::LLVMPointerType::get(builder.getContext()),
                           kernel.getLoc());
}

} // namespace gridir::warpgroup_to_nvvm

namespace {

/// The number of a check and two values, which checks of warpgroups leave 0.
constexpr int64_t kReportWords = 3;

class ConvertWarpgroupToNVVMPass
    : public gridir::impl::ConvertWarpgroupToNVVMPassBase<
          ConvertWarpgroupToNVVMPass> {
public:
  using ConvertWarpgroupToNVVMPassBase::ConvertWarpgroupToNVVMPassBase;

  void runOnOperation() override {
    FailureOr<grid::KernelOp> found =
        warpgroup::getSingleProgram(getOperation());
    if (failed(found))
      return signalPassFailure();
    if (!*found)
      return;
    grid::KernelOp kernel = *found;
    auto sharedBytes =
        kernel->getAttrOfType<IntegerAttr>(warpgroup::kSharedBytesAttr);
    if (!sharedBytes) {
      kernel.emitError("expected the bytes of shared memory in ")
          << warpgroup::kSharedBytesAttr << "; run warpgroup-plan-memory first";
      return signalPassFailure();
    }
    FailureOr<gridir::gpu::Chip> limits =
        gridir::gpu::getChip(chip, kernel.getLoc());
    if (failed(limits))
      return signalPassFailure();
    OpBuilder builder(kernel);
    std::string name = gridir::gpu::toPtxName(kernel.getSymName());
    auto module =
        mlir::gpu::GPUModuleOp::create(builder, kernel.getLoc(), name);
    useNarrowIndices(module);
    LLVM::GlobalOp shared = createShared(module);
    LLVM::LLVMFuncOp function = createFunction(kernel, module, name);
    Lowering lowering(kernel, builder, function, shared, sharedBytes.getInt(),
                      *limits);
    if (failed(lowering.lowerBody()))
      return signalPassFailure();
    LLVM::ReturnOp::create(builder, kernel.getLoc(), ValueRange());
    int64_t bytes = lowering.finishSharedMemory();
    if (bytes > limits->ctaSharedBytes) {
      kernel.emitError("expected at most ")
          << limits->ctaSharedBytes << " bytes of shared memory on " << chip
          << ", got " << bytes << "; run warpgroup-plan-memory for this chip";
      return signalPassFailure();
    }
    finish(kernel, function, lowering);
    createABI(kernel, name, lowering, bytes);
    kernel.erase();
  }

private:
  /// Sets the width of an index to 32 bits: no array of such a kernel needs
  /// more, and 64-bit arithmetic takes twice the instructions, without uniform
  /// registers.
  static void useNarrowIndices(mlir::gpu::GPUModuleOp module) {
    Builder builder(module.getContext());
    DataLayoutEntryInterface width = DataLayoutEntryAttr::get(
        builder.getIndexType(), builder.getI32IntegerAttr(32));
    module->setAttr(DLTIDialect::kDataLayoutAttrName,
                    DataLayoutSpecAttr::get(builder.getContext(), width));
  }

  /// Dynamic shared memory.
  static LLVM::GlobalOp createShared(mlir::gpu::GPUModuleOp module) {
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), 0);
    return LLVM::GlobalOp::create(
        builder, module.getLoc(), type, /*isConstant=*/false,
        LLVM::Linkage::External, "shared_memory", Attribute(),
        /*alignment=*/1024,
        static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared));
  }

  static LLVM::LLVMFuncOp createFunction(grid::KernelOp kernel,
                                         mlir::gpu::GPUModuleOp module,
                                         StringRef name) {
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    auto pointer = LLVM::LLVMPointerType::get(
        builder.getContext(),
        static_cast<unsigned>(NVVM::NVVMMemorySpace::Global));
    SmallVector<Type> types(kernel.getNumInputs() + kernel.getNumOutputs() +
                                (hasSemaphores(kernel) || hasProfile(kernel)) +
                                hasChecks(kernel),
                            pointer);
    auto type = LLVM::LLVMFunctionType::get(
        LLVM::LLVMVoidType::get(builder.getContext()), types);
    auto function =
        LLVM::LLVMFuncOp::create(builder, kernel.getLoc(), name, type);
    function.addEntryBlock(builder);
    return function;
  }

  /// Sets the parameters of the function and the attributes of its launch.
  static void finish(grid::KernelOp kernel, LLVM::LLVMFuncOp function,
                     Lowering &lowering) {
    Builder builder(function.getContext());
    Block &entry = function.getBody().front();
    function.setFunctionType(LLVM::LLVMFunctionType::get(
        LLVM::LLVMVoidType::get(builder.getContext()),
        llvm::to_vector(entry.getArgumentTypes())));
    unsigned numOperands = entry.getNumArguments() - lowering.tensorMaps.size();
    auto map = LLVM::LLVMArrayType::get(builder.getI8Type(), 128);
    NamedAttrList ofMap;
    ofMap.set(LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(map));
    ofMap.set(LLVM::LLVMDialect::getAlignAttrName(),
              builder.getI64IntegerAttr(64));
    ofMap.set(NVVM::NVVMDialect::getGridConstantAttrName(),
              builder.getUnitAttr());
    for (unsigned i = numOperands; i < entry.getNumArguments(); ++i)
      function.setArgAttrs(i, ofMap);
    function->setAttr(mlir::gpu::GPUDialect::getKernelFuncAttrName(),
                      builder.getUnitAttr());
    function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                      builder.getUnitAttr());
    function->setAttr(
        NVVM::NVVMDialect::getReqntidAttrName(),
        builder.getDenseI32ArrayAttr(
            {int32_t(lowering.numWarpgroups * kNumThreads), 1, 1}));
    function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                      builder.getI32IntegerAttr(1));
    if (lowering.clusterSize > 1)
      function->setAttr(
          NVVM::NVVMDialect::getClusterDimAttrName(),
          builder.getDenseI32ArrayAttr({int32_t(lowering.clusterSize), 1, 1}));
  }

  /// Describes the parameters of the function: operands, memory that is zero,
  /// the error report, tensor maps.
  static ArrayAttr getParams(grid::KernelOp kernel, Lowering &lowering) {
    MLIRContext *context = kernel.getContext();
    SmallVector<Attribute> params;
    unsigned numOperands = kernel.getNumInputs() + kernel.getNumOutputs();
    for (unsigned i = 0; i < numOperands; ++i)
      params.push_back(kernel::OperandAttr::get(context, i));
    if (hasSemaphores(kernel) || hasProfile(kernel))
      params.push_back(kernel::ZeroedAttr::get(context, lowering.zeroedBytes));
    if (hasChecks(kernel))
      params.push_back(kernel::ReportAttr::get(context, kReportWords));
    llvm::append_range(params, lowering.tensorMaps);
    return ArrayAttr::get(context, params);
  }

  /// Returns the operands that tensor maps see as bytes of several elements.
  static ArrayAttr getPackedOperands(grid::KernelOp kernel,
                                     Lowering &lowering) {
    MLIRContext *context = kernel.getContext();
    llvm::SetVector<Attribute> packed;
    for (kernel::TensorMapAttr map : lowering.tensorMaps) {
      auto ref = cast<ShapedType>(
          kernel.getBodyBlock()->getArgument(map.getOperand()).getType());
      int64_t count = ref.getNumElements() / map.getTensor().getNumElements();
      if (count > 1)
        packed.insert(
            kernel::PackedAttr::get(context, map.getOperand(), count));
    }
    return ArrayAttr::get(context, packed.getArrayRef());
  }

  void createABI(grid::KernelOp kernel, StringRef name, Lowering &lowering,
                 int64_t sharedBytes) {
    OpBuilder builder = OpBuilder::atBlockBegin(getOperation().getBody());
    auto abi = kernel::ABIOp::create(builder, kernel.getLoc(), name);
    abi.setSharedBytes(sharedBytes);
    abi.setNumThreads(lowering.numWarpgroups * kNumThreads);
    abi.setNumCtas(lowering.numCtas);
    abi.setClusterCtas(lowering.clusterSize);
    abi.setCancelsClusters(lowering.cancelsClusters);
    abi.setUpdatesPartsOfWords(lowering.updatesPartsOfWords);
    abi.setRegisterProducts(lowering.hasRegisterProducts);
    abi.setParamsAttr(getParams(kernel, lowering));
    abi.setPackedOperandsAttr(getPackedOperands(kernel, lowering));
    abi.setDiagnosticsAttr(
        builder.getArrayAttr(lowering.diagnostics.getArrayRef()));
    if (lowering.trace) {
      abi.setProfileScopesAttr(builder.getArrayAttr(
          llvm::to_vector_of<Attribute>(lowering.trace->scopes.getArrayRef())));
      abi.setProfileTraces(lowering.trace->numOfBlock);
      abi.setProfileEvents(lowering.trace->capacity);
      abi.setProfileDirAttr(lowering.trace->directory);
      abi.setProfileTruncates(lowering.trace->truncates);
    }
    if (gridir::gpu::allowsApproximations(kernel))
      kernel::KernelDialect::MappingAttrHelper(&getContext())
          .setAttr(getOperation(), kernel::MappingAttr::get(
                                       &getContext(), std::nullopt,
                                       /*approx_math=*/true, std::nullopt));
    numTensorMaps += lowering.tensorMaps.size();
  }
};

} // namespace
