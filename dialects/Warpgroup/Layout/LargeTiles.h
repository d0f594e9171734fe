//===- LargeTiles.h - Layouts of tiles that several layouts divide -*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_LAYOUT_LARGETILES_H
#define GRIDIR_DIALECTS_WARPGROUP_LAYOUT_LARGETILES_H

#include "dialects/Warpgroup/Layout/Layout.h"
#include "llvm/ADT/STLExtras.h"

namespace gridir::warpgroup {

/// A tile that repeats over an array in larger ones.
class LargeTiles {
public:
  LargeTiles(const Layout &layout, Shape shape, Shape largeTile)
      : layout(layout), large(layout.enlarge(largeTile)) {
    for (auto [size, tileSize, largeSize] :
         llvm::zip_equal(shape, layout.getTile(), largeTile)) {
      repeats.push_back(size / tileSize);
      inLarge.push_back(largeSize / tileSize);
      ofLarge.push_back(size / largeSize);
    }
  }

  const Layout &get() const { return large; }
  int64_t getNumRepeats() const { return getNumElements(ofLarge); }

  /// The register, as the layout counts, of one that is counted in a repeat of
  /// the larger tile.
  int64_t getRegister(int64_t repeat, int64_t reg) const {
    int64_t numRegisters = layout.getNumTileRegisters();
    Coordinates at = delinearize(repeat, ofLarge);
    for (auto [index, times, inside] :
         llvm::zip_equal(at, inLarge, delinearize(reg / numRegisters, inLarge)))
      index = index * times + inside;
    return linearize(at, repeats) * numRegisters + reg % numRegisters;
  }

private:
  Layout layout, large;
  Coordinates repeats, inLarge, ofLarge;
};

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_LAYOUT_LARGETILES_H
