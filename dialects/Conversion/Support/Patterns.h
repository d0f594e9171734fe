//===- Patterns.h - The form that conversions of kernels share -*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_SUPPORT_PATTERNS_H
#define GRIDIR_DIALECTS_CONVERSION_SUPPORT_PATTERNS_H

#include "mlir/Transforms/DialectConversion.h"

/// Conversions that change the types of a kernel's values share one form.
///
/// - A conversion is a set of patterns, by family of ops. A pattern is a
///   function of an op, of its converted operands, and of the rewriter.
/// - One type converter determines the converted type of a value, from the
///   whole type including the encoding of a tensor. Patterns never decide it.
/// - The representation of a Ref does not depend on its type alone. While
///   patterns run, an `unrealized_conversion_cast` connects a Ref and its
///   memref, and each access resolves it.
/// - A pattern that cannot convert its op reports the reason at the op, and
/// fails; `applyConversion` reports ops without a pattern.
namespace gridir {

/// The patterns of one conversion.
class ConversionPatterns {
public:
  /// A pattern as a function.
  template <typename OpT>
  using Function = llvm::LogicalResult (*)(OpT, typename OpT::Adaptor,
                                           mlir::ConversionPatternRewriter &);

  ConversionPatterns(const mlir::TypeConverter &types,
                     mlir::MLIRContext *context)
      : set(context), types(types) {}

  template <typename OpT> void add(Function<OpT> convert) {
    set.add<FunctionPattern<OpT>>(types, set.getContext(), convert);
  }

  /// Elementwise ops mean the same on their converted operands.
  void addElementwise();

  mlir::RewritePatternSet set;

private:
  template <typename OpT>
  class FunctionPattern : public mlir::OpConversionPattern<OpT> {
  public:
    FunctionPattern(const mlir::TypeConverter &types,
                    mlir::MLIRContext *context, Function<OpT> convert)
        : mlir::OpConversionPattern<OpT>(types, context), convert(convert) {}

    llvm::LogicalResult
    matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                    mlir::ConversionPatternRewriter &rewriter) const override {
      return convert(op, adaptor, rewriter);
    }

  private:
    Function<OpT> convert;
  };

  const mlir::TypeConverter &types;
};

/// Materializes a value as `type`: itself, or a cast of it.
mlir::Value createStandIn(mlir::OpBuilder &builder, mlir::Value value,
                          mlir::Type type);

/// Replaces `op` by `value`, cast to the type of its result.
void replaceByStandIn(mlir::RewriterBase &rewriter, mlir::Operation *op,
                      mlir::Value value);

/// The value under such a cast, or null.
mlir::Value lookThroughStandIn(mlir::Value value);

/// Applies patterns to the ops inside of `root` for which `isConverted` is
/// false, and erases the temporary casts. An op that remains without a
/// diagnostic is reported as not supported `where`.
llvm::LogicalResult
applyConversion(mlir::Operation *root, mlir::ConversionTarget &target,
                llvm::function_ref<bool(mlir::Operation *)> isConverted,
                const mlir::FrozenRewritePatternSet &patterns,
                llvm::StringRef where);

} // namespace gridir

#endif // GRIDIR_DIALECTS_CONVERSION_SUPPORT_PATTERNS_H
