// RUN: gridir-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(gpu.module(gpu-convert-arith))"

// No integer has this width.
// expected-error @below {{expected an index of 1 to 64 bits in the data layout, got -1 : i32}}
gpu.module @wide attributes {dlti.dl_spec = #dlti.dl_spec<index = 4294967295 : i32>} {
}

// -----

// expected-error @below {{expected an index of 1 to 64 bits in the data layout, got 0 : i32}}
gpu.module @zero attributes {dlti.dl_spec = #dlti.dl_spec<index = 0 : i32>} {
}

// -----

// The layout of an op around the module counts.
// expected-error @below {{expected an index of 1 to 64 bits in the data layout, got 128 : i64}}
module attributes {dlti.dl_spec = #dlti.dl_spec<index = 128 : i64>} {
  gpu.module @inner {
  }
}
