# RUN: %python %s | FileCheck %s

# Types that cannot be counted are an error before the first pass, at the line of the op.
import gridir
from gridir.compiler.passes import parse_module, run_pipeline

module = parse_module("""
func.func @huge() {
  %0 = memref.alloc() : memref<4611686018427387903x32xf32>
  return
}
""")
# CHECK: error: {{.*}}expected a type of at most 1099511627776 elements, got 'memref<4611686018427387903x32xf32>'
try:
    run_pipeline(module, "func.func(cpu-tile-body)")
except gridir.Error as error:
    print("error:", error)
