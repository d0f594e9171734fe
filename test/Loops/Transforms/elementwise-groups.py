# RUN: %python %s | gridir-opt --loops-fuse-elementwise | FileCheck %s

# 1500 ops of one chain; the last hundred read an array each: a dozen arrays to a loop, until a loop of a thousand ops
# may have all that are left. The ops before, which read one array, could be one loop at once.
# CHECK-LABEL: func.func @chain
# CHECK-COUNT-6: linalg.generic
# CHECK-NOT: linalg.generic
TYPE = "tensor<8xf32>"
ARRAYS = 100
arguments = ", ".join(f"%a{i}: {TYPE}" for i in range(ARRAYS))
print(f"func.func @chain({arguments}) -> {TYPE} {{")
value = "%a0"
for i in range(1500):
    operand = f"%a{i - 1400}" if i >= 1400 else "%a0"
    print(f"  %{i} = arith.{'addf' if i % 2 else 'mulf'} {value}, {operand} : {TYPE}")
    value = f"%{i}"
print(f"  return {value} : {TYPE}\n}}")
