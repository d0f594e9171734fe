# REQUIRES: ptxas
# Every example that needs no DMA is assembled for three generations of GPUs, with gridir's own math functions and with
# libdevice where it is found, and spills no register. The exception is attention in f32 in blocks of 128 keys, since
# registers do not hold all parts in bf16 of the queries and the weights.
#
# RUN: %python %s %repository/examples | FileCheck %s

import pathlib
import sys

import gridir
from gridir.cli.example import load_example

# CHECK: sm_80: 13 examples without spills, and with spills: none
# CHECK: sm_90a: 12 examples without spills, and with spills: causal_attention
# CHECK: sm_100a: 12 examples without spills, and with spills: causal_attention
for chip, libdevice in (("sm_80", False), ("sm_90a", True), ("sm_100a", False)):
    options = gridir.GpuOptions(chip=chip, libdevice=libdevice)
    count, spilling = 0, []
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.py")):
        example = load_example(str(path), None)
        try:
            function, args = example.function, example.args
            report = gridir.lower(function, *args, target=f"gpu:{chip}", options=options).compile()
        except gridir.Error as error:
            print(f"{path.stem} for {chip}: {error}")
            continue
        if not report.kernels or any(kernel.cubin.remarks for kernel in report.kernels):
            print(f"{path.stem} for {chip}: {report}")
        elif any(kernel.cubin.spill_bytes for kernel in report.kernels):
            spilling.append(path.stem)
        else:
            count += 1
    print(f"{chip}: {count} examples without spills, and with spills: {', '.join(spilling) or 'none'}")
