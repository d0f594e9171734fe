# RUN: %python %s | FileCheck %s
"""Where JAX's Mosaic GPU cannot be imported, gridir's records for it say what to install."""

import sys

sys.modules["jax.experimental.pallas.mosaic_gpu"] = None

# CHECK: expected the imports of JAX's Mosaic GPU (pip install absl-py), got: {{.*}}mosaic_gpu
try:
    import gridir.mosaic_gpu  # noqa: F401
except ImportError as error:
    print(error)
