//===- PrintFormat.cpp - Python's formats as those of printf --------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/GPU/Transforms/PrintFormat.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace gridir::gpu;

PrintFormat::PrintFormat(StringRef format) {
  while (!format.empty()) {
    char c = format.front();
    format = format.drop_front();
    if ((c == '{' || c == '}') && format.starts_with(StringRef(&c, 1))) {
      format = format.drop_front();
    } else if (c == '{') {
      auto [spec, rest] = format.split('}');
      spec.consume_front(":");
      specs.push_back(spec);
      texts.push_back("");
      format = rest;
      continue;
    }
    texts.back() += c == '%' ? "%%" : std::string(1, c);
  }
}

/// A Python format specification as C's: width, precision and one letter.
static std::string toC(StringRef spec, StringRef letters, StringRef size,
                       StringRef otherwise) {
  bool isKnown =
      !spec.empty() && letters.contains(spec.back()) &&
      spec.drop_back().find_first_not_of("0123456789.") == StringRef::npos;
  if (!isKnown)
    return otherwise.str();
  return ("%" + spec.drop_back() + size + spec.take_back()).str();
}

std::pair<std::string, Value>
gridir::gpu::createPrintedNumber(OpBuilder &builder, Location loc, Value number,
                                 bool isUnsigned, StringRef spec) {
  Type type = number.getType(), i64 = builder.getI64Type();
  if (auto real = dyn_cast<FloatType>(type)) {
    if (!real.isF64())
      number =
          arith::ExtFOp::create(builder, loc, builder.getF64Type(), number);
    return {toC(spec, "eEfFgG", "", real.getWidth() > 32 ? "%.17g" : "%.9g"),
            number};
  }
  if (type.isIndex())
    number = arith::IndexCastOp::create(builder, loc, i64, number);
  else if (type != i64 && isUnsigned)
    number = arith::ExtUIOp::create(builder, loc, i64, number);
  else if (type != i64)
    number = arith::ExtSIOp::create(builder, loc, i64, number);
  return {toC(spec, "dxX", "ll", isUnsigned ? "%llu" : "%lld"), number};
}
