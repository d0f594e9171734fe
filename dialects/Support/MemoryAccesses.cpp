//===- MemoryAccesses.cpp - Which memory ops read and write ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Support/MemoryAccesses.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace gridir {

SmallVector<MemoryAccess> getAccesses(Operation *op) {
  // The effects of such an op are those of the ops in it.
  if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return {};
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return {{op, Value(), /*reads=*/true, /*writes=*/true}};
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  SmallVector<MemoryAccess> accesses;
  for (const MemoryEffects::EffectInstance &effect : instances) {
    bool reads = isa<MemoryEffects::Read>(effect.getEffect());
    bool writes = isa<MemoryEffects::Write>(effect.getEffect());
    if (!reads && !writes)
      continue;
    Value memref = effect.getValue();
    if (memref && !isa<BaseMemRefType>(memref.getType()))
      memref = {};
    auto *access = llvm::find_if(accesses, [&](const MemoryAccess &other) {
      return other.memref == memref;
    });
    if (access == accesses.end()) {
      accesses.push_back({op, memref});
      access = &accesses.back();
    }
    access->reads |= reads;
    access->writes |= writes;
  }
  return accesses;
}

void collectRoots(Value memref,
                  function_ref<SmallVector<Value>(Value)> getSources,
                  SmallVectorImpl<Value> &roots) {
  llvm::SmallSetVector<Value, 4> worklist;
  worklist.insert(memref);
  for (unsigned i = 0; i < worklist.size(); ++i) {
    SmallVector<Value> sources = getSources(worklist[i]);
    worklist.insert_range(sources);
    if (sources.empty())
      roots.push_back(worklist[i]);
  }
}

} // namespace gridir
