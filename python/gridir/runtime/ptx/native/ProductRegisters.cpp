//===- ProductRegisters.cpp - Registers of products in flight -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductRegisters.h"

namespace gridir::ptx {

std::optional<unsigned> ProductRegisters::touch(unsigned number, bool writes,
                                                unsigned site) {
  State &state = get(number);
  if (state.group > done && (writes || state.isResult))
    return state.product;
  if (writes) {
    state = {};
    state.write = site;
  }
  return std::nullopt;
}

void ProductRegisters::move(unsigned from, unsigned to) {
  const State state = get(from);
  get(to) = state;
}

std::optional<unsigned> ProductRegisters::use(unsigned number, bool isResult,
                                              unsigned site) {
  State &state = get(number);
  const std::optional<unsigned> write = state.write;
  state = {committed + 1, isResult, site, std::nullopt};
  return write;
}

void ProductRegisters::fence() {
  for (State &state : states)
    state.write = std::nullopt;
}

} // namespace gridir::ptx
