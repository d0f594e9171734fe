"""Prints a kernel that adds a number of parts of an array."""

import sys

WHOLE, PART = "8x512xf32", "8x128xf32"
print(f"""grid.kernel @slices grid(%i = 4)
    inputs(%x: f32 [32, 512] block [8, 512] at (%i, 0)) outputs(%o: f32 [32, 128] block [8, 128] at (%i, 0))
    semantics [parallel] {{
  %v = grid.load %x : memref<{WHOLE}, #grid.space<default>> -> tensor<{WHOLE}>
  %s = arith.constant dense<0.0> : tensor<{PART}>""")
total = "%s"
for number in range(int(sys.argv[1])):
    print(f"  %p{number} = tensor.extract_slice %v[0, {number}] [8, 128] [1, 1] : tensor<{WHOLE}> to tensor<{PART}>")
    print(f"  %s{number} = arith.addf {total}, %p{number} : tensor<{PART}>")
    total = f"%s{number}"
print(f"  grid.store {total}, %o : tensor<{PART}>, memref<{PART}, #grid.space<default>>\n}}")
