// RUN: gridir-opt %s --gpu-approximate-math --allow-unregistered-dialect | FileCheck %s

// An op of no dialect is no function of math.
// CHECK: "other.op"
func.func @unregistered(%x: f32) -> f32 {
  %0 = "other.op"(%x) : (f32) -> f32
  return %0 : f32
}
