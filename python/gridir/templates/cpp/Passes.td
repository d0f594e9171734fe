//===- Passes.td - The passes of this project -------------*- tablegen -*- -===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "mlir/Pass/PassBase.td"

def MyTwiceIsSumPass : Pass<"my-twice-is-sum"> {
  let summary = "Add a value to itself instead of multiplying it by two";
  let options = [Option<"factor", "factor", "double", "2.0",
                        "The factor that is replaced">];
  let statistics = [Statistic<"numSums", "num-sums",
                              "Multiplications that became sums">];
}
