// RUN: gridir-opt %s

// What MLIR's own parser crashes on.
func.func private @f() attributes {numbers = array<index: 1>}
