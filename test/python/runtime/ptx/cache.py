# RUN: rm -rf %t && %python %s %t | FileCheck %s

# Code of a function outlives the process where GRIDIR_CACHE_DIR says so: found by the text, the function and what it
# is instrumented for, compiled again where an entry is damaged, and never of a module whose variables have addresses.

import itertools
import os
import sys
import warnings

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from gridir.runtime import ptx
from kernels import HEADER

directory = os.environ["GRIDIR_CACHE_DIR"] = sys.argv[1]
# A text from another file is another module of the process.
numbers = itertools.count()


def text(increment, variable=""):
    return f"""{HEADER}
{variable}
.visible .entry k(.param .u64 out)
{{
.local .align 4 .b8 depot[4096];
.reg .b32 %t;
.reg .b64 %o;
ld.param.u64 %o, [out];
mov.u32 %t, %tid.x;
add.u32 %t, %t, {increment};
st.local.b32 [depot+4092], %t;
ld.local.b32 %t, [depot+4092];
st.global.b32 [%o], %t;
ret;
}}
"""


def origin(increment=1, variable="", **asked):
    """Loads the text anew, runs it, and says where the code came from."""
    function = ptx.load(text(increment, variable), path=f"{next(numbers)}.ptx").function()
    found = function.prepare(**asked)
    out = np.zeros(1, np.int32)
    function.launch([out], grid=(1,), block=(1,), checks=asked.get("checks", ()))
    assert out[0] == increment
    assert function.prepare(**asked) == "memory"
    return found


# CHECK: first: compiled
print("first:", origin())
# CHECK: again: disk
print("again:", origin())
# CHECK: checked: compiled disk
print("checked:", origin(checks=("races",)), origin(checks=("races",)))
# CHECK: profiled: compiled disk
print("profiled:", origin(profiled=True), origin(profiled=True))
# CHECK: other text: compiled disk
print("other text:", origin(2), origin(2))
# CHECK: variable: compiled compiled
variable = ".global .align 4 .u32 v = 3;"
print("variable:", origin(3, variable), origin(3, variable))

entries = [entry.path for entry in os.scandir(directory) if entry.name != "llvmcache.timestamp"]
# CHECK: entries: 4
print("entries:", len(entries))
for entry in entries:
    with open(entry, "r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"x")
# CHECK: damaged: compiled disk
print("damaged:", origin(), origin())

# CHECK: others may write: compiled
# CHECK: the cache {{.*}} is not used: others may write to it
os.chmod(directory, 0o777)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print("others may write:", origin())
print(caught[0].message)
