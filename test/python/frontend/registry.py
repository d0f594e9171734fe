# RUN: %python %s | FileCheck %s

from gridir.frontend import registry

# CHECK: expected one rule for primitive `add`, got a second one
import gridir.frontend.rules  # noqa: F401  isort: skip

try:
    registry.register("add", lambda ctx, x, y: x)
except ValueError as error:
    print(error)

# CHECK: add and while are supported, cholesky is not
names = set(registry.supported())
if {"add", "while"} <= names and "cholesky" not in names:
    print("add and while are supported, cholesky is not")
