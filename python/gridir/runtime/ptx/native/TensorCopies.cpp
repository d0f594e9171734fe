//===- TensorCopies.cpp - Copies of tiles of tensors ----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Copies.h"
#include "MBarriers.h"
#include "TensorMap.h"

using namespace llvm;

namespace gridir::ptx {

namespace {

constexpr unsigned kMaxRank = 5;

/// Arguments: direction, map, shared address, barrier, whether there is a mask,
/// the mask, the number of coordinates, the coordinates from the innermost.
enum TensorArgument { Way, Map, Shared, MBarrier, HasMask, Mask, Rank, First };

void encodeTensor(Encoder &e) {
  Emitter &emitter = e.emitter;
  const Direction direction = takeDirection(emitter);
  const bool isMulticast = takeCopyModifiers(emitter);
  emitter.take("tile");
  unsigned rank = 0;
  StringRef rankName = emitter.takeOneOf({"1d", "2d", "3d", "4d", "5d"});
  rankName.drop_back(!rankName.empty()).getAsInteger(10, rank);
  const bool isLoad = direction == Direction::ToShared;
  emitter.expectOperands(2, 6);
  const Operand &tensor = emitter.getOperand(isLoad ? 1 : 0);
  if (rankName.empty() || tensor.kind != Operand::Kind::Address ||
      tensor.elements.size() != 2 ||
      emitter.getElements(tensor.elements[1]).size() != rank) {
    emitter.fail("expected a tensor map and its coordinates");
    return;
  }
  e.add(uint64_t(direction));
  e.add(emitter.readAddress(tensor));
  e.addShared(emitter.getOperand(isLoad ? 0 : 1), /*isGeneric=*/false);
  if (isLoad)
    e.addShared(emitter.getOperand(2), /*isGeneric=*/false);
  else
    e.add(uint64_t(0));
  e.add(uint64_t(isMulticast));
  if (isMulticast)
    e.add(emitter.getOperand(3), 16);
  else
    e.add(uint64_t(0));
  e.add(uint64_t(rank));
  for (const Operand &coordinate : emitter.getElements(tensor.elements[1]))
    e.add(coordinate, 32);
}

/// The tile of a tensor that a copy names by its coordinates.
class Tile {
public:
  Tile(const Group &group, const TensorMap &map) : map(map) {
    const uint64_t *words = group.arguments[0];
    for (unsigned i = 0; i < map.rank; ++i)
      start[i] = static_cast<int32_t>(words[First + i]);
  }

  uint64_t getBytes() const {
    uint64_t bytes = map.elementBytes;
    for (unsigned i = 0; i < map.rank; ++i)
      bytes *= map.box[i];
    return bytes;
  }

  /// Calls `body(place, address)` for each element: where it is in the tile,
  /// and its address, or none outside of the tensor.
  template <typename Body> void forEachElement(Body body) const {
    std::array<uint32_t, kMaxRank> index = {};
    const uint64_t count = getBytes() / map.elementBytes;
    for (uint64_t i = 0; i < count; ++i) {
      body(i * map.elementBytes, getAddress(index));
      for (unsigned d = 0; d < map.rank && ++index[d] == map.box[d]; ++d)
        index[d] = 0;
    }
  }

private:
  std::optional<uint64_t>
  getAddress(const std::array<uint32_t, kMaxRank> &index) const {
    uint64_t address = map.base;
    for (unsigned d = 0; d < map.rank; ++d) {
      const int64_t place = start[d] + int64_t(index[d]);
      if (place < 0 || place >= int64_t(map.sizes[d]))
        return std::nullopt;
      address += place * (d ? map.strides[d - 1] : map.elementBytes);
    }
    return address;
  }

  const TensorMap &map;
  std::array<int64_t, kMaxRank> start = {};
};

const TensorMap &findMap(const Group &group) {
  const uint64_t *words = group.arguments[0];
  const auto *map =
      reinterpret_cast<const TensorMap *>(group.execution.locateGlobal(
          group.thread, words[Map], sizeof(TensorMap), 64, group.site));
  if (map->magic != TensorMap::kMagic)
    group.fail("expected a tensor map at the address");
  if (map->rank != words[Rank])
    group.fail("expected " + std::to_string(map->rank) +
               " coordinates of the tensor, got " +
               std::to_string(words[Rank]));
  if (words[Shared] % 128)
    group.fail("expected a shared address that is a multiple of 128");
  const uint64_t row = uint64_t(map->box[0]) * map->elementBytes;
  if (row % 16 || (map->swizzle && row > map->swizzle))
    group.fail("expected rows of the tile of a multiple of 16 bytes and of at "
               "most the swizzle's, got " +
               std::to_string(row));
  return *map;
}

void runTensor(const Group &group) {
  const uint64_t *words = group.arguments[0];
  const TensorMap &map = findMap(group);
  Tile tile(group, map);
  Execution &execution = group.execution;
  Thread &thread = group.thread;
  const unsigned size = map.elementBytes;
  auto findGlobal = [&](uint64_t address) {
    return execution.locateGlobal(thread, address, size, 1, group.site);
  };
  auto findShared = [&](uint64_t rank, uint64_t place) {
    const uint64_t address = (words[Shared] & kPlaceInBlock) + place;
    return execution.locateShared(
        thread, getSharedAddress(rank, swizzle(address, map.swizzle)), size, 1,
        group.site);
  };
  if (static_cast<Direction>(words[Way]) != Direction::ToShared) {
    const uint64_t rank = words[Shared] >> kBlockWindowBits;
    tile.forEachElement([&](uint64_t place, std::optional<uint64_t> address) {
      if (address)
        std::memcpy(findGlobal(*address), findShared(rank, place), size);
    });
    return;
  }
  forEachDestination(
      group, words[HasMask], words[Mask], words[Shared], [&](uint64_t rank) {
        tile.forEachElement(
            [&](uint64_t place, std::optional<uint64_t> address) {
              char *to = findShared(rank, place);
              // Outside of the tensor are zeros.
              if (address)
                std::memcpy(to, findGlobal(*address), size);
              else
                std::memset(to, 0, size);
            });
        updateMBarrier(group,
                       words[HasMask] ? getSharedAddress(rank, words[MBarrier])
                                      : words[MBarrier],
                       0, tile.getBytes());
      });
}

constexpr CollectiveRow kRows[] = {
    {"cp.async.bulk.tensor", Team::Thread, encodeTensor, runTensor,
     "Data Movement and Conversion Instructions: cp.async.bulk.tensor"}};

} // namespace

ArrayRef<CollectiveRow> getTensorCopyRows() { return kRows; }

} // namespace gridir::ptx
