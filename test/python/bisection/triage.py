# RUN: %python %s | FileCheck %s
"""The conclusion from the results of the executor and of machine code, for each combination of them."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from gridir.bisection.find import Found
from gridir.bisection.reproducer import write_machine_code
from gridir.bisection.search import FAILS, RIGHT, WRONG, Outcome
from gridir.bisection.triage import MachineCode, conclude
from gridir.errors import KernelError


def show(executor, race="", **codes):
    machine_codes = [
        MachineCode(name, Outcome(x, "no image" if x == FAILS else ""), by_driver=name == "driver")
        for name, x in codes.items()
    ]
    fault, reason = conclude(Outcome(executor), machine_codes, race)
    print(f"{fault}: {reason}")


# CHECK: nothing: all machine code is right
show(RIGHT, O3=RIGHT, O0=RIGHT)
# CHECK: machine code: the code of O3 is wrong; that of O0 is right
show(RIGHT, O3=WRONG, O0=RIGHT)
# CHECK: machine code: the code of O3 is wrong; that of O0 is right
show(FAILS, O3=WRONG, O0=RIGHT, other=FAILS)
# CHECK: ptx: the executor and all machine code are wrong
show(WRONG, O3=WRONG, O0=WRONG)
# CHECK: ptx: the executor and the code of O3 are wrong; that of O0 is right
show(WRONG, O3=WRONG, O0=RIGHT)
# Code without order may be right by chance; then the compiler is not at fault.
# CHECK: ptx: the PTX is right only in some orders of its accesses: two accesses
show(RIGHT, "two accesses", O3=WRONG, O0=RIGHT)
# CHECK: undecided: the executor is wrong, and all machine code is right (O3, O0)
show(WRONG, O3=RIGHT, O0=RIGHT)
# CHECK: undecided: all machine code is wrong, with any level of optimization, and the executor is not
show(RIGHT, O3=WRONG, O0=WRONG)
# CHECK: undecided: no machine code of the PTX was launched
show(RIGHT, O3=FAILS)
# Code that does not run is not judged. If none of ptxas runs, the code that users launch is not.
# CHECK: nothing: the code of O0, driver is right; not judged, as it did not run, is that of O3 (no image)
show(RIGHT, O3=FAILS, O0=RIGHT, driver=RIGHT)
# CHECK: undecided: the code of driver is right; not judged, as it did not run, is that of O3 (no image), O0 (no image)
show(RIGHT, O3=FAILS, O0=FAILS, driver=RIGHT)
# CHECK: nothing: the code of O3 is right; not judged, as it did not run, is that of driver (no image)
show(RIGHT, O3=RIGHT, driver=FAILS)
# CHECK: nothing: the code of the driver is right; that of ptxas was not judged, as no ptxas is installed
show(RIGHT, driver=RIGHT)

# CHECK: expected machine code that is wrong, got none
expected: Any = SimpleNamespace(kernel=SimpleNamespace(name="k"))
try:
    write_machine_code(Found(expected, ()), Path("nowhere"))
except KernelError as error:
    print(error.message)
