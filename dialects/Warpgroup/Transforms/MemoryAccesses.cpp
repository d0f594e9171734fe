//===- MemoryAccesses.cpp - The memory that ops of a program access -------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/MemoryAccesses.h"

#include "dialects/Support/CountableTypes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::warpgroup;

/// The Refs whose memory a view may access.
static void findRoots(Value ref, llvm::SmallSetVector<Value, 2> &roots) {
  auto view = ref.getDefiningOp<grid::RefViewOpInterface>();
  if (!view) {
    roots.insert(ref);
    return;
  }
  for (Value source : view.getViewSources())
    findRoots(source, roots);
}

/// The number of the operand or scratch Ref of a kernel that `root` is.
static std::optional<unsigned> getNumberOfKernel(Value root) {
  auto argument = dyn_cast<BlockArgument>(root);
  if (!argument || !isa<grid::KernelOp>(argument.getOwner()->getParentOp()))
    return std::nullopt;
  return argument.getArgNumber();
}

std::optional<Space> warpgroup::getMemory(Value root) {
  auto type = dyn_cast<MemRefType>(root.getType());
  if (!type || !type.getElementType().isIntOrIndexOrFloat())
    return std::nullopt;
  if (std::optional<Space> space = getMemorySpace(type))
    return space;
  return getNumberOfKernel(root) ? Space::Gmem : Space::Regs;
}

/// The scope that allocates a Ref; null for others.
static grid::ScopedOp getScope(Value root) {
  auto argument = dyn_cast<BlockArgument>(root);
  return argument ? dyn_cast<grid::ScopedOp>(argument.getOwner()->getParentOp())
                  : grid::ScopedOp();
}

/// The bytes of a Ref in shared memory, if the memory plan has them.
static std::optional<std::pair<int64_t, int64_t>> getBytes(Value root) {
  grid::ScopedOp scope = getScope(root);
  auto offsets = scope ? scope->getAttrOfType<DenseI64ArrayAttr>(kOffsetsAttr)
                       : DenseI64ArrayAttr();
  auto type = cast<MemRefType>(root.getType());
  std::optional<int64_t> count = countPoints(type.getShape());
  if (!offsets || !count || !type.getElementType().isIntOrFloat())
    return std::nullopt;
  unsigned number = cast<BlockArgument>(root).getArgNumber();
  if (number >= size_t(offsets.size()))
    return std::nullopt;
  // Packed elements occupy fewer bytes.
  int64_t begin = offsets[number],
          size = *count * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  return std::pair(begin, begin + size);
}

/// True if an input and an output of a kernel share memory.
static bool areAliases(grid::KernelOp kernel, int64_t number, int64_t other) {
  if (!kernel.getAliases())
    return false;
  auto [input, output] = std::minmax(number, other);
  int64_t numInputs = kernel.getNumIndexOperands() + kernel.getNumInputs();
  return llvm::any_of(
      kernel.getAliasesAttr().getAsRange<DenseI64ArrayAttr>(),
      [&, input = input, output = output](DenseI64ArrayAttr alias) {
        return alias[0] == input && alias[1] + numInputs == output;
      });
}

/// True for members of a union whose columns of tensor memory overlap. Other
/// Refs have columns of their own as long as their scope runs.
static bool shareColumns(Value root, Value other) {
  grid::ScopedOp scope = getScope(root);
  if (!scope || scope != getScope(other))
    return false;
  auto members = getUnionMembers(scope);
  auto first = members[cast<BlockArgument>(root).getArgNumber()],
       second = members[cast<BlockArgument>(other).getArgNumber()];
  return first && second && first->overlaps(*second);
}

bool warpgroup::mayOverlap(Value root, Value other) {
  if (root == other)
    return true;
  std::optional<Space> memory = getMemory(root);
  if (memory != getMemory(other) || memory == Space::Regs)
    return false;
  if (memory == Space::Tmem)
    return shareColumns(root, other);
  if (memory == Space::Gmem) {
    auto number = getNumberOfKernel(root), another = getNumberOfKernel(other);
    return !number || !another ||
           areAliases(
               cast<grid::KernelOp>(root.getParentBlock()->getParentOp()),
               *number, *another);
  }
  auto bytes = getBytes(root), others = getBytes(other);
  return !bytes || !others ||
         (bytes->first < others->second && others->first < bytes->second);
}

SmallVector<MemoryAccess> warpgroup::getMemoryAccesses(Operation *op) {
  SmallVector<MemoryAccess> accesses;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  // An op on the body of a region has none of its own.
  if (isa<grid::RefViewOpInterface>(op) ||
      (!effects && op->hasTrait<OpTrait::HasRecursiveMemoryEffects>()) ||
      op->hasTrait<OpTrait::IsTerminator>())
    return accesses;
  for (Value operand : op->getOperands()) {
    if (!isa<MemRefType>(operand.getType()))
      continue;
    bool reads = !effects, writes = !effects;
    if (effects) {
      reads =
          effects.getEffectOnValue<MemoryEffects::Read>(operand).has_value();
      writes =
          effects.getEffectOnValue<MemoryEffects::Write>(operand).has_value();
    }
    if (!reads && !writes)
      continue;
    llvm::SmallSetVector<Value, 2> roots;
    findRoots(operand, roots);
    for (Value root : roots)
      if (std::optional<Space> memory = getMemory(root))
        accesses.push_back({op, root, *memory, reads, writes});
  }
  return accesses;
}

bool warpgroup::changesSemaphore(Operation *op,
                                 grid::SemaphoreChange::Kind kind) {
  auto semaphores = dyn_cast<grid::SemaphoreOpInterface>(op);
  return semaphores &&
         llvm::any_of(semaphores.getSemaphoreChanges(),
                      [&](const auto &change) { return change.kind == kind; });
}
