//===- MatrixProduct.h - Sums of products of matrices ---------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_MATRIXPRODUCT_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_MATRIXPRODUCT_H

#include <vector>

namespace gridir::ptx {

/// Adds the products of rows of `left` and of `right`, each with `depth`
/// elements, to accumulators, row by row. Each product and each sum is rounded,
/// in the order of the depth, on any processor. Accumulators are floats or
/// doubles.
template <typename T>
void addProducts(std::vector<T> &sums, const std::vector<float> &left,
                 const std::vector<float> &right, unsigned rows,
                 unsigned columns, unsigned depth);

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_MATRIXPRODUCT_H
