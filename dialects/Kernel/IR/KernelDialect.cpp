//===- KernelDialect.cpp - Registration of the kernel dialect -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Kernel/IR/Kernel.h"

#include "mlir/Bytecode/BytecodeImplementation.h"

using namespace mlir;
using namespace gridir::kernel;

#include "dialects/Kernel/IR/KernelDialect.cpp.inc"

namespace {

struct ABIVersion : DialectVersion {};

/// Reads and writes the version of the ABI; all else is as ODS encodes it.
struct KernelBytecodeInterface : BytecodeDialectInterface {
  explicit KernelBytecodeInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  void writeVersion(DialectBytecodeWriter &writer) const override {
    writer.writeVarInt(kABIVersion);
  }

  std::unique_ptr<DialectVersion>
  readVersion(DialectBytecodeReader &reader) const override {
    uint64_t version;
    if (failed(reader.readVarInt(version)))
      return nullptr;
    if (version == kABIVersion)
      return std::make_unique<ABIVersion>();
    reader.emitError("expected version ")
        << kABIVersion << " of the ABI of kernels, got " << version;
    return nullptr;
  }
};

} // namespace

void KernelDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "dialects/Kernel/IR/KernelOps.cpp.inc"
      >();
  addInterface<KernelBytecodeInterface>();
}

LogicalResult
KernelDialect::verifyOperationAttribute(Operation *op,
                                        NamedAttribute attribute) {
  Attribute value = attribute.getValue();
  if (attribute.getName() == BufferAttrHelper::getNameStr()) {
    if (isa<BufferAttr>(value))
      return success();
    return op->emitError("expected kernel.buffer to be a #kernel.buffer, got ")
           << value;
  }
  if (attribute.getName() == MappingAttrHelper::getNameStr()) {
    if (isa<MappingAttr>(value) && isa<ModuleOp>(op))
      return success();
    return op->emitError("expected kernel.mapping to be a #kernel.mapping of a "
                         "module, got ")
           << value << " of '" << op->getName() << "'";
  }
  return op->emitError("expected kernel.buffer or kernel.mapping, got ")
         << attribute.getName();
}
