//===- LayoutAssignment.h - A layout for each tensor -----------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each frame gets one of its allowed layouts. The cost is that of the ops in
// their layouts, and of the conversion of each operand to the layout of its
// user, more in loops. First, all frames that pass a tensor on get one layout
// together. Then single frames change to another layout, of the op's own or of
// a neighbor, as long as that lowers the cost.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_INFERENCE_LAYOUTASSIGNMENT_H
#define GRIDIR_DIALECTS_WARPGROUP_INFERENCE_LAYOUTASSIGNMENT_H

#include "dialects/Warpgroup/Inference/LayoutFrame.h"
#include "dialects/Warpgroup/Layout/Conversion.h"

#include <map>

namespace gridir::warpgroup {

/// The costs of conversions between layouts of a type, each computed once.
class ConversionCosts {
public:
  /// Weighted instructions; `impossible` if there is no conversion.
  int64_t get(LayoutAttr from, LayoutAttr to, mlir::RankedTensorType type);

  static constexpr int64_t impossible = int64_t(1) << 40;

private:
  std::map<std::tuple<const void *, const void *, const void *>, int64_t> known;
};

class LayoutAssignment {
public:
  /// Collects the frames of all ops in a region; an error if an op does not
  /// state its requirements.
  mlir::LogicalResult collect(mlir::Region &region);

  void solve();

  llvm::ArrayRef<LayoutFrame> getFrames() const { return frames; }

  /// The layout of a part. If its op does not support the chosen one, it is
  /// another one, and finally one that any array can have.
  LayoutAttr getLayout(unsigned frame, const LayoutFrame::Part &part) const;

  /// The frame that defines a value.
  unsigned getDefiningFrame(mlir::Value value) const {
    return definitions.find(value)->second.first;
  }

private:
  /// A use of a tensor: an edge from the frame that defines it to one that uses
  /// it.
  struct Edge {
    unsigned user, userPart, def, defPart;
    int64_t weight;
  };
  using Group = llvm::SmallVector<unsigned>;

  /// True if the op supports a layout.
  bool isServed(const LayoutFrame &frame, LayoutAttr layout) const;
  LayoutAttr derive(const LayoutFrame::Part &part, LayoutAttr layout) const;
  LayoutAttr lift(const LayoutFrame &frame, const LayoutFrame::Part &part,
                  LayoutAttr layout) const;
  int64_t getOwnCost(unsigned frame, LayoutAttr layout);
  int64_t getEdgeCost(const Edge &edge);
  int64_t getCost(const Group &group, LayoutAttr layout);
  llvm::SmallVector<LayoutAttr> getCandidates(const Group &group) const;
  llvm::SmallVector<LayoutAttr> getAllowed(unsigned frame) const;
  llvm::SmallVector<Group> groupFrames() const;
  /// True if another layout is cheaper for a group.
  bool choose(const Group &group);
  void improve(llvm::ArrayRef<Group> groups, unsigned maxRounds);

  llvm::SmallVector<LayoutFrame, 0> frames;
  llvm::SmallVector<Edge> edges;
  /// The edges at each frame.
  llvm::SmallVector<llvm::SmallVector<unsigned>> edgesOf;
  /// An estimate of the number of executions of each frame's op.
  llvm::SmallVector<int64_t> weights;
  llvm::DenseMap<mlir::Value, std::pair<unsigned, unsigned>> definitions;
  /// Null for frames that have none yet, and for those that are repeated.
  llvm::SmallVector<LayoutAttr> assigned;
  std::map<std::pair<unsigned, const void *>, int64_t> ownCosts;
  ConversionCosts conversions;
};

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_INFERENCE_LAYOUTASSIGNMENT_H
