# RUN: %python %s | FileCheck %s

# The tables of chips in Python, without JAX.
import sys

from gridir.errors import OptionError
from gridir.runtime.chips import chips_of, facts_of, find_facts, product_chips

# CHECK: cpu 0
# CHECK: gpu 8 sm_80 sm_86 sm_89 sm_90 sm_90a sm_100 sm_100a sm_120
# CHECK: tpu 5 v4 v5e v5p v6e tpu7x
for name in ("cpu", "gpu", "tpu"):
    print(name, len(chips_of(name)), *chips_of(name))

# CHECK: ('sm_80', 'sm_90a', 'sm_100a') ('v4', 'v5e', 'v5p', 'v6e', 'tpu7x')
print(product_chips("gpu"), product_chips("tpu"))

hopper = facts_of("gpu:sm_90a")
# CHECK: H100 SXM 132 232448 233472 65536 2048 32
print(hopper["product"], *(hopper[x] for x in ("multiprocessors", "cta_shared_bytes", "shared_bytes")), end=" ")
print(*(hopper[x] for x in ("registers", "threads", "ctas")))
# CHECK: 989000000000000 3350000000000 1830000000 NVIDIA H100 SXM data sheet
print(hopper["flops"], hopper["bandwidth"], hopper["clock_hz"], hopper["source"])
# CHECK: +ptx81 ['small-floats', 'bulk-copies', 'wgmma', 'setmaxnreg'] 0
print(hopper["ptx_feature"], hopper["features"], hopper["tensor_columns"])

# CHECK: mma.sync 16 [8, 8, 8] 256
# CHECK-NEXT: tcgen05.mma 64 [8, 256, 8] 256
# CHECK-NEXT: tcgen05.mma 128 [16, 256, 16] 256
for product in facts_of("gpu:sm_100a")["matrix_products"]:
    print(product["instruction"], product["m"], product["n"], product["k_bits"])

# A chip without a product has the limits of its compute capability.
# CHECK: False 101376 1536
ada = facts_of("gpu:sm_89")
print("product" in ada, ada["cta_shared_bytes"], ada["threads"])

# CHECK: v4 16 MiB of VMEM
# CHECK: v5e 128 MiB of VMEM
# CHECK: v5p 64 MiB of VMEM
# CHECK: v6e 128 MiB of VMEM
# CHECK: tpu7x 64 MiB of VMEM
for chip, facts in chips_of("tpu").items():
    print(chip, facts["vmem_bytes"] >> 20, "MiB of VMEM")

# CHECK: {}
print(find_facts("gpu:sm_12"))
for name in ("gpu:sm_12", "cpu", "cpu:haswell"):
    try:
        facts_of(name)
    except OptionError as error:
        # CHECK: expected a chip of target 'gpu' (sm_80, {{.*}}), got 'gpu:sm_12'
        # CHECK: expected a target whose chips are known, got 'cpu'
        # CHECK: expected a target whose chips are known, got 'cpu:haswell'
        print(error.message)

# CHECK: without JAX: True
print("without JAX:", "jax" not in sys.modules)
