// RUN: gridir-opt %s --grid-canonicalize-index-maps --allow-unregistered-dialect | FileCheck %s

// Of the number that an op of no dialect gives, nothing is known.
// CHECK-LABEL: grid.kernel @unregistered
// CHECK: "other.op"
grid.kernel @unregistered grid(%i = 4)
    inputs(%x: f32 [8] block [2] map(%a: i32) {
      %b = "other.op"(%a) : (i32) -> i32
      grid.yield %b : i32
    }) {
}
