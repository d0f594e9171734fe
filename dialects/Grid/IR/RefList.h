//===- RefList.h - The assembly of Refs that an op makes -------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The scratch of a kernel and the Refs of a scope are arguments of a region. An
// attribute beside the region holds the author's names, as locations do not
// outlive text, and the assembly shows both as one:
//
//   (%acc: memref<8x128xf32> origin "acc_ref")
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_IR_REFLIST_H
#define GRIDIR_DIALECTS_GRID_IR_REFLIST_H

#include "mlir/IR/OpImplementation.h"

#include <string>

namespace gridir::grid {

/// Reads `(%ref: type origin "name", ...)` after the arguments that are known
/// already. `origins` is null where no Ref has a name.
mlir::ParseResult
parseRefList(mlir::OpAsmParser &parser,
             mlir::SmallVectorImpl<mlir::OpAsmParser::Argument> &args,
             mlir::ArrayAttr &origins);

/// Adds the names. Fails if the attribute is already present.
mlir::ParseResult addOrigins(mlir::OpAsmParser &parser,
                             mlir::OperationState &result,
                             mlir::StringAttr attrName,
                             mlir::ArrayAttr origins);

void printRefList(mlir::OpAsmPrinter &printer,
                  mlir::Block::BlockArgListType args, mlir::ArrayAttr origins);

/// Names are one for each Ref; an empty one stands for none.
mlir::LogicalResult verifyOrigins(mlir::Operation *op, size_t numRefs,
                                  mlir::ArrayAttr origins);

/// The name of Ref `i` for a diagnostic: `fallback[i]` where it has none.
std::string getOrigin(mlir::ArrayAttr origins, unsigned i,
                      llvm::StringRef fallback);

/// The origin without its punctuation, which is legal as a name in assembly.
/// Empty where nothing is left.
std::string getIdentifier(llvm::StringRef origin);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_IR_REFLIST_H
