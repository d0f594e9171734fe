# RUN: %python %s %t | FileCheck %s
"""What is said of a `ptxas` that is not there, gives no answer, or refuses a kernel, by programs instead of it."""

import os
import sys
from pathlib import Path

from gridir.runtime.ptxas import KernelReport, PtxasError, assemble, disassemble
from refusals import report

directory = Path(sys.argv[1])
directory.mkdir(exist_ok=True)


def assembled(name, script=None, **how):
    """Assembles with a shell script as the program."""
    path = directory / name
    if script is not None:
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def call():
        os.environ["GRIDIR_PTXAS"] = str(path)
        return assemble(".version 8.5", "sm_80", **how)

    return call


def disassembled(name, script=None, **how):
    """Disassembles with a shell script as the program."""
    assembled(name, script)  # Writes the script.

    def call():
        os.environ["GRIDIR_NVDISASM"] = str(directory / name)
        disassemble(b"", **how)

    return call


REFUSES = "echo \"ptxas $4, line 7; error : Unknown modifier '.x'\"; exit 255"

# CHECK: PtxasError: 11 of 11 refused in these words
report(
    PtxasError,
    {
        "expected ptxas, got none\n": assembled("absent"),
        "note: pip install 'gridir[gpu]', or set GRIDIR_PTXAS": assembled("absent"),
        "ptxas did not finish in 0.5 s\n  in kernel `k`": assembled("waits", "exec sleep 60", kernel="k", timeout=0.5),
        "ptxas does not accept the kernel for sm_80": assembled("refuses", REFUSES),
        "Unknown modifier '.x'": assembled("refuses", REFUSES),
        "expected ptxas 13.3 or newer for a wgmma with an operand in registers, got 13.0.88, which may overwrite the "
        "operand too early": assembled("old", "echo release 13.0, V13.0.88", register_products=True),
        "expected the version of ptxas, got 'none\\n'": assembled("silent", "echo none", register_products=True),
        "ptxas does not accept the kernel": assembled("new", f"echo V13.3.1; {REFUSES}", register_products=True),
        "expected nvdisasm, got none": disassembled("absent"),
        "nvdisasm did not finish in 0.5 s": disassembled("waits", "exec sleep 60", timeout=0.5),
        "nvdisasm does not accept the cubin\n  note: not an ELF": disassembled("no", "echo not an ELF >&2; exit 1"),
    },
)

# Code that is not what the kernel asks for is code, and the report says why it is slow.
CHANGES = """for option; do
  case $option in --output-file=*) : > "${option#*=}" ;; esac
done
echo 'ptxas info : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized'"""
kernel = KernelReport("k", assembled("changes", CHANGES)(), ctas=1, threads=128, shared_bytes=0, workspace_bytes=0)
# CHECK: ptxas info : (C7510) Potential Performance Loss
print(kernel)
# CHECK: 1 remark
print(len(kernel.to_json()["remarks"]), "remark")
