// RUN: gridir-opt %s

// Inputs on which MLIR's own parser crashes.
func.func private @f() attributes {numbers = array<index: 1>}
