//===- TensorCopies.cpp - Copies of tiles of tensors ----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Copies.h"
#include "MBarriers.h"
#include "Reductions.h"
#include "TensorMap.h"

using namespace llvm;

namespace gridir::ptx {

namespace {

constexpr unsigned kMaxRank = 5;

/// Rows that a gather reads and a scatter writes.
constexpr unsigned kGathered = 4;

/// Which way, the map, the shared address, the barrier, whether it may be the
/// other block's of a pair, whether there is a mask, the mask, the operation,
/// whether rows are gathered, the number of coordinates, the coordinates from
/// the innermost.
enum TensorArgument {
  Way,
  Map,
  Shared,
  MBarrier,
  IsOfPair,
  HasMask,
  Mask,
  Operation,
  IsGathered,
  NumCoordinates,
  First
};

template <bool reduces> void encodeTensor(Encoder &e) {
  Emitter &emitter = e.emitter;
  const Direction direction = takeDirection(emitter);
  const bool isMulticast = takeCopyModifiers(emitter);
  const ReductionOp op =
      reduces ? takeReductionOp(emitter) : ReductionOp::Replace;
  if (reduces && op == ReductionOp::Replace)
    emitter.fail("expected the operation of a reduction");
  if (reduces)
    emitter.meetClusters();
  const bool isGathered =
      !emitter.takeOneOf({"tile::gather4", "tile::scatter4"}).empty();
  emitter.take("tile");
  const bool isOfPair =
      emitter.takeOneOf({"cta_group::1", "cta_group::2"}) == "cta_group::2";
  unsigned rank = 0;
  StringRef rankName = emitter.takeOneOf({"1d", "2d", "3d", "4d", "5d"});
  rankName.drop_back(!rankName.empty()).getAsInteger(10, rank);
  const bool isLoad = direction == Direction::ToShared;
  emitter.expectOperands(2, 6);
  const Operand &tensor = emitter.getOperand(isLoad ? 1 : 0);
  if (rankName.empty() || tensor.kind != Operand::Kind::Address ||
      tensor.elements.size() != 2 || (isGathered && rank != 2) ||
      emitter.getElements(tensor.elements[1]).size() !=
          (isGathered ? 1 + kGathered : rank)) {
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
  e.add(uint64_t(isOfPair));
  e.add(uint64_t(isMulticast));
  if (isMulticast)
    e.add(emitter.getOperand(3), 16);
  else
    e.add(uint64_t(0));
  e.add(uint64_t(op));
  e.add(uint64_t(isGathered));
  e.add(uint64_t(isGathered ? 1 + kGathered : rank));
  for (const Operand &coordinate : emitter.getElements(tensor.elements[1]))
    e.add(coordinate, 32);
}

/// The tile of a tensor that a copy names by its coordinates.
class Tile {
public:
  Tile(const Group &group, const TensorMap &map) : map(map) {
    const uint64_t *words = group.arguments[0];
    std::copy_n(map.box, kMaxRank, box.begin());
    for (unsigned i = 0; i < words[NumCoordinates]; ++i)
      start[i] = static_cast<int32_t>(words[First + i]);
    isGathered = words[IsGathered];
    if (isGathered)
      box[1] = kGathered;
  }

  uint64_t getBytes() const {
    uint64_t bytes = map.elementBytes;
    for (unsigned i = 0; i < map.rank; ++i)
      bytes *= box[i];
    return bytes;
  }

  /// Calls `body(offset, address)` for each element: its offset in the tile,
  /// and its address, or none outside of the tensor.
  template <typename Body> void forEachElement(Body body) const {
    std::array<uint32_t, kMaxRank> index = {};
    const uint64_t count = getBytes() / map.elementBytes;
    for (uint64_t i = 0; i < count; ++i) {
      body(i * map.elementBytes, getAddress(index));
      for (unsigned d = 0; d < map.rank && ++index[d] == box[d]; ++d)
        index[d] = 0;
    }
  }

  uint64_t getRowBytes() const { return uint64_t(box[0]) * map.elementBytes; }

  /// Calls `body(offset, address, begin, end)` for each row: its offset in the
  /// tile, and which of its bytes lie in the tensor, the first of them at the
  /// address; none is there of a row outside.
  template <typename Body> void forEachWholeRow(Body body) const {
    std::array<uint32_t, kMaxRank> index = {};
    const int64_t first = std::max<int64_t>(0, -start[0]);
    const int64_t end =
        std::min<int64_t>(box[0], int64_t(map.sizes[0]) - start[0]);
    index[0] = first;
    for (uint64_t offset = 0; offset < getBytes(); offset += getRowBytes()) {
      std::optional<uint64_t> address;
      if (first < end)
        address = getAddress(index);
      if (address)
        body(offset, *address, first * map.elementBytes,
             end * map.elementBytes);
      else
        body(offset, uint64_t(0), uint64_t(0), uint64_t(0));
      for (unsigned d = 1; d < map.rank && ++index[d] == box[d]; ++d)
        index[d] = 0;
    }
  }

  /// Calls `body(address, bytes)` for the part of each row inside of the
  /// tensor.
  template <typename Body> void forEachRow(Body body) const {
    forEachWholeRow(
        [&](uint64_t, uint64_t address, uint64_t begin, uint64_t end) {
          if (begin < end)
            body(address, end - begin);
        });
  }

private:
  std::optional<uint64_t>
  getAddress(const std::array<uint32_t, kMaxRank> &index) const {
    uint64_t address = map.base;
    for (unsigned d = 0; d < map.rank; ++d) {
      // A gather has a coordinate for each of its rows.
      const int64_t coordinate = isGathered && d == 1
                                     ? start[1 + index[1]]
                                     : start[d] + int64_t(index[d]);
      if (coordinate < 0 || coordinate >= int64_t(map.sizes[d]))
        return std::nullopt;
      address += coordinate * (d ? map.strides[d - 1] : map.elementBytes);
    }
    return address;
  }

  const TensorMap &map;
  std::array<uint32_t, kMaxRank> box;
  std::array<int64_t, kMaxRank> start = {};
  bool isGathered;
};

const TensorMap &findMap(const Group &group) {
  const uint64_t *words = group.arguments[0];
  const auto *map =
      reinterpret_cast<const TensorMap *>(group.execution.locateGlobal(
          group.thread, words[Map], sizeof(TensorMap), 64, group.site));
  if (map->magic != TensorMap::kMagic)
    group.fail("expected a tensor map at the address");
  const uint64_t rank = words[IsGathered] ? 2 : words[NumCoordinates];
  if (map->rank != rank)
    group.fail("expected " + std::to_string(map->rank) +
               " coordinates of the tensor, got " + std::to_string(rank));
  if (words[IsGathered] && map->box[1] != 1)
    group.fail("expected a box of one row for a gather, got " +
               std::to_string(map->box[1]));
  if (words[Shared] % 128)
    group.fail("expected a shared address that is a multiple of 128");
  const uint64_t row = uint64_t(map->box[0]) * map->elementBytes;
  if (row % 16 || (map->swizzle && row > map->swizzle))
    group.fail("expected rows of the tile of a multiple of 16 bytes and of at "
               "most the swizzle's, got " +
               std::to_string(row));
  return *map;
}

/// Calls `body(begin, bytes)` with the parts of a row that no swizzle divides.
template <typename Body>
void forEachPiece(uint64_t begin, uint64_t end, Body body) {
  constexpr uint64_t kPiece = 16;
  while (begin < end) {
    const uint64_t next = std::min(end, alignDown(begin, kPiece) + kPiece);
    body(begin, next - begin);
    begin = next;
  }
}

/// Where bytes of a tile that stay together are in shared memory.
char *findShared(const Group &group, const TensorMap &map, uint64_t rank,
                 uint64_t offset, uint64_t bytes) {
  const uint64_t address =
      (group.arguments[0][Shared] & kOffsetInBlock) + offset;
  return group.execution.locateShared(
      group.thread, getSharedAddress(rank, swizzle(address, map.swizzle)),
      bytes, 1, group.site);
}

char *findGlobal(const Group &group, const TensorMap &map, uint64_t address) {
  return group.execution.locateGlobal(group.thread, address, map.elementBytes,
                                      1, group.site);
}

Reduction getReduction(const Group &group, const TensorMap &map) {
  const Reduction reduction{
      static_cast<ReductionOp>(group.arguments[0][Operation]),
      {static_cast<TypeKind>(map.elementKind), map.elementBytes * 8, 1}};
  if (!reduction.isKnown())
    group.fail("expected elements of the tensor that this reduction takes");
  return reduction;
}

/// Records writes of elements; adjacent elements are one access.
class ElementWrites {
public:
  ElementWrites(const Group &group, const AsyncUnitRef &unit)
      : group(group), unit(unit) {}
  ~ElementWrites() { flush(); }

  void add(char *pointer, uint64_t bytes, uint32_t newFlags) {
    if (!unit)
      return;
    if (pointer != end || newFlags != flags) {
      flush();
      begin = end = pointer;
      flags = newFlags;
    }
    end += bytes;
  }

private:
  void flush() {
    if (begin != end)
      group.note(unit, begin, end - begin, flags);
  }

  const Group &group;
  const AsyncUnitRef &unit;
  char *begin = nullptr, *end = nullptr;
  uint32_t flags = 0;
};

/// Shared memory that a copy stores to the tensor, which must be defined; what
/// is outside of the tensor need not be.
const char *findUsed(const Group &group, const TensorMap &map, uint64_t rank,
                     uint64_t offset, uint64_t bytes) {
  const char *from = findShared(group, map, rank, offset, bytes);
  if (group.execution.tracksUndefined())
    group.execution.expectDefined(group.thread, from, bytes, group.site);
  return from;
}

void storeTile(const Group &group, const AsyncUnitRef &unit) {
  const TensorMap &map = findMap(group);
  const uint64_t rank = group.arguments[0][Shared] >> kBlockWindowBits;
  const Reduction reduction = getReduction(group, map);
  ElementWrites writes(group, unit);
  const Tile tile(group, map);
  if (reduction.isReplacing()) {
    tile.forEachWholeRow([&](uint64_t offset, uint64_t address, uint64_t begin,
                             uint64_t end) {
      if (begin == end)
        return;
      char *to = group.execution.locateGlobal(group.thread, address,
                                              end - begin, 1, group.site);
      forEachPiece(begin, end, [&](uint64_t at, uint64_t bytes) {
        const char *from = findUsed(group, map, rank, offset + at, bytes);
        char *own = to + (at - begin);
        writes.add(own, bytes, reduction.getAccess(own, from, bytes) | Async);
        reduction.run(own, from, bytes);
      });
    });
    return;
  }
  tile.forEachElement([&](uint64_t offset, std::optional<uint64_t> address) {
    if (!address)
      return;
    char *to = findGlobal(group, map, *address);
    const char *from = findUsed(group, map, rank, offset, map.elementBytes);
    writes.add(to, map.elementBytes,
               reduction.getAccess(to, from, map.elementBytes) | Async);
    reduction.run(to, from, map.elementBytes);
  });
}

/// The barrier that counts the bytes of a block: at the same offset in it, or
/// for pairs in the block of the pair where the barrier is.
uint64_t getBarrier(const Group &group, uint64_t rank) {
  const uint64_t *words = group.arguments[0];
  const uint64_t address = words[MBarrier];
  if (!words[HasMask])
    return address;
  return getSharedAddress(words[IsOfPair]
                              ? (rank & ~uint64_t(1)) |
                                    (address >> kBlockWindowBits & 1)
                              : rank,
                          address);
}

/// Calls `body` with each block that a tile is loaded to.
template <typename Body> void forEachBlock(const Group &group, Body body) {
  const uint64_t *words = group.arguments[0];
  forEachDestination(group, words[HasMask], words[Mask], words[Shared], body);
}

void loadTile(const Group &group, const UnitsOfBlocks &units) {
  const TensorMap &map = findMap(group);
  Tile tile(group, map);
  forEachBlock(group, [&](uint64_t rank) {
    // Outside of the tensor are zeros.
    SmallVector<char, 256> row(tile.getRowBytes());
    tile.forEachWholeRow([&](uint64_t offset, uint64_t address, uint64_t begin,
                             uint64_t end) {
      llvm::fill(row, 0);
      if (begin < end)
        std::memcpy(row.data() + begin,
                    group.execution.locateGlobal(group.thread, address,
                                                 end - begin, 1, group.site),
                    end - begin);
      forEachPiece(0, row.size(), [&](uint64_t at, uint64_t bytes) {
        std::memcpy(findShared(group, map, rank, offset + at, bytes),
                    row.data() + at, bytes);
      });
    });
    updateMBarrier(group, getBarrier(group, rank), 0, tile.getBytes(),
                   Telling::All, units.at(rank));
  });
}

/// Records the accesses of a copy to shared memory. A swizzle permutes bytes
/// inside of the tile.
void noteShared(const Group &group, const AsyncUnitRef &unit, uint64_t rank,
                uint64_t bytes, uint32_t flag) {
  const uint64_t address = getSharedAddress(rank, group.arguments[0][Shared]);
  group.note(
      unit,
      group.execution.locateShared(group.thread, address, bytes, 1, group.site),
      bytes, flag | Async);
}

void noteGlobal(const Group &group, const AsyncUnitRef &unit, const Tile &tile,
                uint32_t flag) {
  if (unit || group.execution.getProfile())
    tile.forEachRow([&](uint64_t address, uint64_t bytes) {
      group.note(unit,
                 group.execution.locateGlobal(group.thread, address, bytes, 1,
                                              group.site),
                 bytes, flag | Async);
    });
}

void runTensor(const Group &group) {
  const uint64_t *words = group.arguments[0];
  const TensorMap &map = findMap(group);
  const Tile tile(group, map);
  const unsigned numArguments = First + words[NumCoordinates];
  AsyncUnitRef unit = group.execution.startUnit(group.thread);
  if (static_cast<Direction>(words[Way]) == Direction::ToShared) {
    noteGlobal(group, unit, tile, Reads);
    UnitsOfBlocks units;
    forEachBlock(group, [&](uint64_t rank) {
      units[rank] = startUnitOfBlock(group, unit, words[HasMask]);
      noteShared(group, units[rank], rank, tile.getBytes(), Writes);
    });
    startCopy(group, numArguments,
              [units](const Group &group) { loadTile(group, units); });
    return;
  }
  AsyncUnitRef writer = group.execution.startUnit(group.thread);
  noteShared(group, unit, words[Shared] >> kBlockWindowBits, tile.getBytes(),
             Reads | Tracked);
  addStore(group, unit, writer,
           startCopy(group, numArguments, [writer](const Group &group) {
             storeTile(group, writer);
           }));
}

constexpr CollectiveRow kRows[] = {
    {"cp.async.bulk.tensor", Team::Thread, encodeTensor<false>, runTensor,
     "Data Movement and Conversion Instructions: cp.async.bulk.tensor"},
    {"cp.reduce.async.bulk.tensor", Team::Thread, encodeTensor<true>, runTensor,
     "Data Movement and Conversion Instructions: cp.reduce.async.bulk.tensor"}};

} // namespace

ArrayRef<CollectiveRow> getTensorCopyRows() { return kRows; }

} // namespace gridir::ptx
