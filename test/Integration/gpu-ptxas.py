# REQUIRES: ptxas
# Every example that needs no DMA is assembled for three generations of GPUs, with gridir's own math functions and with
# libdevice where it is found, and spills no register.
#
# RUN: %python %s %repository/examples | FileCheck %s

import pathlib
import sys

import gridir
from gridir.cli.example import load_example

# CHECK: sm_80: 13 examples without spills
# CHECK: sm_90a: 13 examples without spills
# CHECK: sm_100a: 13 examples without spills
for chip, libdevice in (("sm_80", False), ("sm_90a", True), ("sm_100a", False)):
    options = gridir.GpuOptions(chip=chip, libdevice=libdevice)
    count = 0
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.py")):
        example = load_example(str(path), None)
        try:
            function, args = example.function, example.args
            report = gridir.lower(function, *args, target=f"gpu:{chip}", options=options).compile()
        except gridir.Error as error:
            print(f"{path.stem} for {chip}: {error}")
            continue
        spills = [kernel for kernel in report.kernels if kernel.cubin.spill_bytes or kernel.cubin.remarks]
        if spills or not report.kernels:
            print(f"{path.stem} for {chip}: {report}")
        count += bool(report.kernels) and not spills
    print(f"{chip}: {count} examples without spills")
