//===- LayoutAssignment.cpp - A layout for each tensor --------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Inference/LayoutAssignment.h"

#include "dialects/Support/CountableTypes.h"
#include "dialects/Warpgroup/IR/RegisterCoordinates.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace gridir::warpgroup;

//===----------------------------------------------------------------------===//
// ConversionCosts
//===----------------------------------------------------------------------===//

int64_t ConversionCosts::get(LayoutAttr from, LayoutAttr to,
                             RankedTensorType type) {
  if (from == to)
    return 0;
  auto [it, isNew] =
      known.try_emplace({from.getAsOpaquePointer(), to.getAsOpaquePointer(),
                         type.dropEncoding().getAsOpaquePointer()},
                        impossible);
  if (isNew) {
    unsigned bits = type.getElementType().isIntOrFloat()
                        ? type.getElementTypeBitWidth()
                        : 64;
    if (auto plan = planConversion(from.getLayout(), to.getLayout(),
                                   type.getShape(), bits))
      it->second = plan->cost.getWeight();
  }
  return it->second;
}

//===----------------------------------------------------------------------===//
// Frames and edges
//===----------------------------------------------------------------------===//

/// The body of a loop runs several times.
static int64_t getWeight(Region *region) {
  int64_t weight = 1;
  for (; region && weight < 512; region = region->getParentRegion())
    if (isa_and_present<LoopLikeOpInterface>(region->getParentOp()))
      weight *= 8;
  return weight;
}

LogicalResult LayoutAssignment::collect(Region &region) {
  WalkResult walked = region.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (failed(collectLayoutFrames(op, frames)))
      return WalkResult::interrupt();
    // Nested ops compute single elements.
    return isa<linalg::LinalgOp>(op) ? WalkResult::skip()
                                     : WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  for (auto [index, frame] : llvm::enumerate(frames)) {
    weights.push_back(getWeight(frame.op->getParentRegion()));
    for (auto [number, part] : llvm::enumerate(frame.parts)) {
      if (!part.getType().hasStaticShape() ||
          part.getType().getNumElements() == 0)
        return frame.op->emitError("expected tensors with elements, got ")
               << part.getType();
      if (countPoints(part.getType().getShape()).value_or(INT64_MAX) >
          kMaxElementsOfThread * kNumThreads)
        return frame.op->emitError("expected at most ")
               << kMaxElementsOfThread * kNumThreads
               << " elements of an array in registers, got " << part.getType();
      if (!part.value)
        continue;
      definitions[part.value] = {index, number};
      // A tensor with a layout keeps it.
      if (std::optional<Layout> layout =
              gridir::warpgroup::getLayout(part.getType());
          layout && part.isEqual && frame.allowed.empty())
        frame.allowed.push_back(*layout);
    }
  }
  assigned.resize(frames.size());
  edgesOf.resize(frames.size());
  for (auto [index, frame] : llvm::enumerate(frames))
    for (auto [number, part] : llvm::enumerate(frame.parts)) {
      if (!part.operand || part.isUnread)
        continue;
      Value value = part.operand->get();
      auto it = definitions.find(value);
      if (it == definitions.end())
        return refuseTensors(value.getParentRegion()->getParentOp());
      auto [def, defPart] = it->second;
      for (unsigned end : {static_cast<unsigned>(index), def})
        if (!llvm::is_contained(edgesOf[end], edges.size()))
          edgesOf[end].push_back(edges.size());
      edges.push_back({static_cast<unsigned>(index),
                       static_cast<unsigned>(number), def, defPart,
                       getWeight(value.getParentRegion())});
    }
  return success();
}

/// The tile has the rank of the array if possible, so that equal layouts have
/// equal attributes.
static LayoutAttr normalize(MLIRContext *context, const Layout &layout,
                            Shape shape) {
  return LayoutAttr::get(context, layout.unflatten(shape).value_or(layout));
}

/// True if a thread can hold its part of an array.
static bool isHeld(const Layout &layout, Shape shape) {
  return layout.fits(shape) &&
         layout.getNumRegisters(shape) <= kMaxElementsOfThread;
}

static LayoutAttr apply(const LayoutFrame::Derivation &derivation,
                        LayoutAttr layout, Shape shape) {
  if (!derivation || !layout)
    return {};
  std::optional<Layout> derived = derivation(layout.getLayout());
  return derived && isHeld(*derived, shape)
             ? normalize(layout.getContext(), *derived, shape)
             : LayoutAttr();
}

LayoutAttr LayoutAssignment::derive(const LayoutFrame::Part &part,
                                    LayoutAttr layout) const {
  return part.isEqual ? layout
                      : apply(part.derive, layout, part.getType().getShape());
}

LayoutAttr LayoutAssignment::lift(const LayoutFrame &frame,
                                  const LayoutFrame::Part &part,
                                  LayoutAttr layout) const {
  return part.isEqual ? layout : apply(part.lift, layout, frame.shape);
}

bool LayoutAssignment::isServed(const LayoutFrame &frame,
                                LayoutAttr layout) const {
  return layout && (!frame.accepts || frame.accepts(layout.getLayout())) &&
         llvm::all_of(frame.parts, [&](const LayoutFrame::Part &part) {
           return derive(part, layout) != nullptr;
         });
}

LayoutAttr LayoutAssignment::getLayout(unsigned index,
                                       const LayoutFrame::Part &part) const {
  const LayoutFrame &frame = frames[index];
  MLIRContext *context = frame.op->getContext();
  if (isServed(frame, assigned[index]))
    return derive(part, assigned[index]);
  for (const Layout &layout : frame.preferred)
    if (LayoutAttr other = normalize(context, layout, frame.shape);
        isServed(frame, other))
      return derive(part, other);
  Layout any = Layout::blocked(part.getType().getShape(), 4);
  if (!isHeld(any, part.getType().getShape()))
    any = Layout::strided(1);
  return LayoutAttr::get(context, any);
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

int64_t LayoutAssignment::getOwnCost(unsigned index, LayoutAttr attr) {
  auto [it, isNew] =
      ownCosts.try_emplace({index, attr.getAsOpaquePointer()}, 0);
  if (!isNew)
    return it->second;
  const LayoutFrame &frame = frames[index];
  Layout layout = attr.getLayout();
  if (frame.accepts && !frame.accepts(layout))
    return it->second = ConversionCosts::impossible;
  int64_t cost = frame.cost ? frame.cost(layout) : 0;
  // Values beyond the registers of a thread go to memory and back.
  constexpr int64_t fewRegisters = 128;
  if (int64_t held = layout.getNumRegisters(frame.shape); held > fewRegisters)
    cost += 8 * (held - fewRegisters);
  cost *= weights[index];
  for (const LayoutFrame::Part &part : frame.parts)
    if (!derive(part, attr))
      cost = ConversionCosts::impossible;
  return it->second = cost;
}

/// Returns the weighted cost of the conversion between the layouts that the
/// definition and the user derive for a tensor. A repeatable op is recomputed
/// in the user's layout and costs nothing.
int64_t LayoutAssignment::getEdgeCost(const Edge &edge) {
  const LayoutFrame &user = frames[edge.user], &def = frames[edge.def];
  LayoutAttr to = derive(user.parts[edge.userPart], assigned[edge.user]);
  if (def.isRepeatable)
    return to && def.accepts && !def.accepts(to.getLayout())
               ? ConversionCosts::impossible
               : 0;
  if (!assigned[edge.user] || !assigned[edge.def])
    return 0;
  LayoutAttr from = derive(def.parts[edge.defPart], assigned[edge.def]);
  if (!from || !to)
    return ConversionCosts::impossible;
  return edge.weight *
         conversions.get(from, to, user.parts[edge.userPart].getType());
}

int64_t LayoutAssignment::getCost(const Group &group, LayoutAttr layout) {
  int64_t cost = 0;
  llvm::SmallSetVector<unsigned, 16> touched;
  for (unsigned frame : group) {
    assigned[frame] = layout;
    cost += getOwnCost(frame, layout);
    touched.insert(edgesOf[frame].begin(), edgesOf[frame].end());
  }
  for (unsigned edge : touched)
    cost += getEdgeCost(edges[edge]);
  return cost;
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

SmallVector<LayoutAttr> LayoutAssignment::getAllowed(unsigned frame) const {
  MLIRContext *context = frames[frame].op->getContext();
  return llvm::map_to_vector(frames[frame].allowed, [&](const Layout &layout) {
    return normalize(context, layout, frames[frame].shape);
  });
}

SmallVector<LayoutAttr>
/// If frames of the group restrict their layouts, the candidates are those that
/// all of them allow. Otherwise they are the current layout, preferred layouts,
/// the layouts of neighbors lifted to the iteration space, and two default
/// layouts.
LayoutAssignment::getCandidates(const Group &group) const {
  llvm::SmallSetVector<LayoutAttr, 8> candidates;
  bool isFree = true;
  for (unsigned frame : group) {
    SmallVector<LayoutAttr> allowed = getAllowed(frame);
    if (allowed.empty())
      continue;
    if (isFree)
      candidates.insert(allowed.begin(), allowed.end());
    else
      candidates.remove_if([&](LayoutAttr layout) {
        return !llvm::is_contained(allowed, layout);
      });
    isFree = false;
  }
  if (!isFree)
    return candidates.takeVector();
  const LayoutFrame &first = frames[group.front()];
  MLIRContext *context = first.op->getContext();
  auto insert = [&](LayoutAttr layout) {
    if (layout && isHeld(layout.getLayout(), first.shape))
      candidates.insert(layout);
  };
  if (assigned[group.front()])
    insert(assigned[group.front()]);
  for (unsigned frame : group)
    for (const Layout &layout : frames[frame].preferred)
      insert(normalize(context, layout, first.shape));
  for (unsigned frame : group)
    for (unsigned index : edgesOf[frame]) {
      const Edge &edge = edges[index];
      const LayoutFrame::Part &userPart =
                                  frames[edge.user].parts[edge.userPart],
                              &defPart = frames[edge.def].parts[edge.defPart];
      if (edge.user == frame)
        insert(lift(first, userPart, derive(defPart, assigned[edge.def])));
      if (edge.def == frame)
        insert(lift(first, defPart, derive(userPart, assigned[edge.user])));
    }
  Layout blocked = Layout::blocked(first.shape, 4);
  insert(LayoutAttr::get(context, blocked));
  // Prefer layouts in which threads hold no copies.
  if (!blocked.isSplat() && blocked.getReplication() > 1)
    insert(normalize(context, Layout::strided(1), first.shape));
  return candidates.takeVector();
}

bool LayoutAssignment::choose(const Group &group) {
  LayoutAttr before = assigned[group.front()], best = before;
  SmallVector<LayoutAttr> candidates = getCandidates(group);
  std::optional<int64_t> least;
  for (LayoutAttr candidate : candidates) {
    int64_t cost = getCost(group, candidate);
    if (!least || cost < *least) {
      least = cost;
      best = candidate;
    }
  }
  for (unsigned frame : group)
    assigned[frame] = best;
  return best != before;
}

/// Local search: gives each group in turn the layout of least cost while all
/// others are fixed, until no group changes.
void LayoutAssignment::improve(ArrayRef<Group> groups, unsigned maxRounds) {
  bool changed = true;
  for (unsigned round = 0; changed && round < maxRounds; ++round) {
    changed = false;
    for (const Group &group : groups)
      changed |= choose(group);
  }
}

/// Groups frames that pass a tensor on in one layout, unless they allow no
/// common layout. Frames with requirements come first, followed by their
/// neighbors.
SmallVector<LayoutAssignment::Group> LayoutAssignment::groupFrames() const {
  SmallVector<unsigned> leader =
      llvm::to_vector(llvm::seq<unsigned>(frames.size()));
  auto find = [&](unsigned frame) {
    while (leader[frame] != frame)
      frame = leader[frame] = leader[leader[frame]];
    return frame;
  };
  SmallVector<SmallVector<LayoutAttr>> allowed;
  for (unsigned frame : llvm::seq<unsigned>(frames.size()))
    allowed.push_back(getAllowed(frame));
  for (const Edge &edge : edges) {
    if (frames[edge.def].isRepeatable || frames[edge.user].isRepeatable ||
        !frames[edge.user].parts[edge.userPart].isEqual ||
        !frames[edge.def].parts[edge.defPart].isEqual)
      continue;
    unsigned def = find(edge.def), user = find(edge.user);
    if (def == user)
      continue;
    if (!allowed[def].empty() && !allowed[user].empty()) {
      SmallVector<LayoutAttr> common;
      for (LayoutAttr layout : allowed[def])
        if (llvm::is_contained(allowed[user], layout))
          common.push_back(layout);
      if (common.empty())
        continue;
      allowed[def] = common;
    } else if (allowed[def].empty()) {
      allowed[def] = allowed[user];
    }
    leader[user] = def;
  }
  SmallVector<Group> members(frames.size());
  for (unsigned frame : llvm::seq<unsigned>(frames.size()))
    if (!frames[frame].isRepeatable)
      members[find(frame)].push_back(frame);
  llvm::SmallSetVector<unsigned, 16> order;
  auto reach = [&](unsigned first) {
    SmallVector<unsigned> queue;
    auto insert = [&](unsigned group) {
      if (!members[group].empty() && order.insert(group))
        queue.push_back(group);
    };
    insert(first);
    for (size_t next = 0; next < queue.size(); ++next)
      for (unsigned frame : members[queue[next]])
        for (unsigned edge : edgesOf[frame]) {
          insert(find(edges[edge].def));
          insert(find(edges[edge].user));
        }
  };
  for (unsigned group : llvm::seq<unsigned>(frames.size()))
    if (!members[group].empty() && !allowed[group].empty())
      order.insert(group);
  for (unsigned group : llvm::to_vector(order.getArrayRef()))
    for (unsigned frame : members[group])
      for (unsigned edge : edgesOf[frame])
        for (unsigned end : {find(edges[edge].def), find(edges[edge].user)})
          reach(end);
  for (unsigned group : llvm::seq<unsigned>(frames.size()))
    reach(group);
  return llvm::map_to_vector(order,
                             [&](unsigned group) { return members[group]; });
}

void LayoutAssignment::solve() {
  SmallVector<Group> groups = groupFrames();
  improve(groups, /*maxRounds=*/8);
  SmallVector<Group> alone;
  for (const Group &group : groups)
    if (group.size() > 1)
      for (unsigned frame : group)
        alone.push_back({frame});
  improve(alone, /*maxRounds=*/4);
}
