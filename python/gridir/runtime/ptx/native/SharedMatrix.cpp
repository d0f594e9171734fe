//===- SharedMatrix.cpp - Matrices that descriptors name -------------------- -===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedMatrix.h"

#include "TensorMap.h"

using namespace llvm;

namespace gridir::ptx {

/// Reads the bits that both kinds of descriptors share.
static MatrixDescriptor readStrides(const Group &group, uint64_t word) {
  if (word >> 49 & 7)
    group.fail("expected a matrix descriptor without a base offset");
  return {(word & 0x3fff) << 4, (word >> 16 & 0x3fff) << 4,
          (word >> 32 & 0x3fff) << 4, 0};
}

MatrixDescriptor MatrixDescriptor::readWgmma(const Group &group,
                                             uint64_t word) {
  static constexpr uint32_t spans[] = {0, 128, 64, 32};
  MatrixDescriptor result = readStrides(group, word);
  result.span = spans[word >> 62];
  return result;
}

MatrixDescriptor MatrixDescriptor::readTcgen05(const Group &group,
                                               uint64_t word) {
  MatrixDescriptor result = readStrides(group, word);
  switch (word >> 61) {
  case 0:
    break;
  case 2:
    result.span = 128;
    break;
  case 4:
    result.span = 64;
    break;
  case 6:
    result.span = 32;
    break;
  default:
    group.fail("expected a matrix descriptor with swizzle 0, 2, 4 or 6, got " +
               std::to_string(word >> 61));
  }
  if (word >> 52 & 1)
    group.fail("expected a matrix descriptor with relative strides");
  return result;
}

uint64_t SharedMatrix::getOffset(unsigned row, unsigned depth) const {
  // Groups of eight rows, each as wide as the swizzle permutes.
  const unsigned line = isTransposed ? depth : row;
  const uint64_t offset =
      uint64_t(isTransposed ? row : depth) * format.bits / 8;
  const uint64_t width = descriptor.span ? descriptor.span : 16;
  const uint64_t inside = line % 8 * width + offset % width;
  const uint64_t lines = line / 8, pieces = offset / width;
  // Without a swizzle and transposed, the two strides are exchanged.
  return isTransposed && !descriptor.span
             ? lines * descriptor.leading + pieces * descriptor.stride + inside
             : lines * descriptor.stride + pieces * descriptor.leading + inside;
}

const char *SharedMatrix::find(unsigned row, unsigned depth,
                               unsigned bytes) const {
  const uint64_t address =
      swizzle(descriptor.start + getOffset(row, depth), descriptor.span);
  return group.execution.locateShared(
      group.thread, rank << kBlockWindowBits | address, bytes, 1, group.site);
}

template <typename Body>
void SharedMatrix::forEachPiece(unsigned firstRow, unsigned numRows,
                                unsigned depth, Body body) const {
  const unsigned piece = 128 / format.bits;
  const unsigned endRow = firstRow + numRows;
  if (!isTransposed) {
    for (unsigned row = firstRow; row < endRow; ++row)
      for (unsigned k = 0; k < depth; k += piece)
        body(row, k, std::min(piece, depth - k));
    return;
  }
  for (unsigned k = 0; k < depth; ++k)
    for (unsigned row = firstRow; row < endRow; row += piece)
      body(row, k, std::min(piece, endRow - row));
}

std::vector<float> SharedMatrix::read(unsigned rows, unsigned depth) const {
  std::vector<float> result(size_t(rows) * depth);
  const unsigned step = isTransposed ? depth : 1;
  forEachPiece(0, rows, depth, [&](unsigned row, unsigned k, unsigned count) {
    std::array<uint32_t, 4> words = {};
    const unsigned bytes = count * format.bits / 8;
    std::memcpy(words.data(), find(row, k, bytes), bytes);
    float *next = &result[size_t(row) * depth + k];
    for (unsigned i = 0; i < count; ++i, next += step) {
      const unsigned bit = i * format.bits;
      *next = format.decode(words[bit / 32] >> bit % 32);
    }
  });
  return result;
}

void SharedMatrix::note(const AsyncUnitRef &unit, unsigned firstRow,
                        unsigned numRows, unsigned depth,
                        uint32_t flags) const {
  if (!unit)
    return;
  forEachPiece(firstRow, numRows, depth,
               [&](unsigned row, unsigned k, unsigned count) {
                 const unsigned bytes = count * format.bits / 8;
                 group.note(unit, find(row, k, bytes), bytes, flags);
               });
}

std::vector<Undefined> SharedMatrix::readUndefined(unsigned rows,
                                                   unsigned depth) const {
  std::vector<Undefined> result(rows);
  forEachPiece(0, rows, depth, [&](unsigned row, unsigned k, unsigned count) {
    const char *piece = find(row, k, count * format.bits / 8);
    // Of a transposed matrix, a piece has elements of several rows.
    const unsigned numRows = isTransposed ? count : 1;
    const unsigned bytes = count * format.bits / 8 / numRows;
    for (unsigned i = 0; i < numRows; ++i)
      result[row + i].join(group.execution.findUndefined(
          group.thread, piece + i * bytes, bytes));
  });
  return result;
}

} // namespace gridir::ptx
