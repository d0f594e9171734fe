# RUN: %python %s %repository | FileCheck %s
"""Which forms of a source end the process on IR that verifies."""

import sys

sys.path.insert(0, f"{sys.argv[1]}/tools/lint")

import assertions

SOURCE = """
if (isa<math::MathDialect>(op->getDialect()))
if (isa_and_nonnull<math::MathDialect>(op->getDialect()))
return op->getDialect()->getNamespace();
auto neutral = arith::getNeutralElement(combiner);
auto safe = gridir::getNeutralElement(combiner);
int64_t size = op->getAttrOfType<IntegerAttr>("size").getInt();
auto size = op->getAttrOfType<IntegerAttr>("size");
"""

# CHECK: 2 expected isa_and_nonnull, since an op may have no dialect
# CHECK-NEXT: 4 expected a test whether the op has a dialect
# CHECK-NEXT: 5 expected gridir::getNeutralElement, which takes any type
# CHECK-NEXT: 7 expected a test whether the op has the attribute
# CHECK-NEXT: end
for line, expected in sorted(assertions.find_forms(SOURCE)):
    print(line, expected)
print("end")
