# RUN: %python %s | FileCheck %s

# Importing the package is quick because it imports nothing that is not asked for.
import sys

import gridir

# CHECK: loaded: []
print("loaded:", [name for name in ("jax", "jaxlib", "numpy", "gridir.mlir", "click") if name in sys.modules])

# The compiler and the runtime work without JAX; only the frontend imports it.
import gridir.compiler.kernel
import gridir.runtime.cpu

# CHECK: JAX: False
print("JAX:", "jax" in sys.modules)

# Every public name exists.
# CHECK: missing: []
print("missing:", [name for name in gridir.__all__ if not hasattr(gridir, name)])

try:
    gridir.nothing  # noqa: B018
except AttributeError as error:
    # CHECK: module 'gridir' has no attribute 'nothing'
    print(error)
