# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %repository/docs/python-passes.md %t | FileCheck %s

# The walk-through runs as it stands on the page, from an empty directory.
import os
import re
import subprocess
import sys
from pathlib import Path

page, directory = Path(sys.argv[1]).read_text(), Path(sys.argv[2])
for name, text in re.findall(r"```python\n# (\w+\.py)\n(.*?)```", page, re.DOTALL):
    (directory / name).write_text(f"# {name}\n{text}")


def run(command):
    result = subprocess.run(command, shell=True, cwd=directory, capture_output=True, text=True)
    text = (result.stdout + result.stderr).replace(f"{directory}/", "")
    print(f"$ {command}\nstatus: {result.returncode}\n{text}", flush=True)
    return text


# What `gridir` is to a person who has activated the environment.
gridir = f'gridir() {{ {sys.executable} -m gridir "$@"; }}\n'
os.environ["JAX_ENABLE_COMPILATION_CACHE"] = "0"
shown = [run(gridir + block) for block in re.findall(r"```sh\n(.*?)```", page, re.DOTALL)]

# CHECK: gridir lower double.py --stage grid --load sums.py --pipeline twice-is-sum --statistics
# CHECK: status: 0
# CHECK: arith.addf
# CHECK: (S) 1 num-sums - Multiplications that became sums

# CHECK: --pipeline no-multiplication
# CHECK: status: 1
# CHECK: double.py:8:18 (body)

# CHECK: gridir run double.py
# CHECK: status: 0
# CHECK: results: equal to interpret mode's

# CHECK: gridir opt double.mlir
# CHECK: status: 0
# CHECK: arith.addf
# CHECK: IR Dump After twice_is_sum (twice-is-sum)
# CHECK: Execution time report
# CHECK: twice_is_sum

# The error is shown as it is.
# CHECK: error as on the page: True
quoted = re.search(r"```\n(error: .*?)```", page, re.DOTALL)[1]
print("error as on the page:", quoted in shown[1])

# CHECK: $ {{.*}} use.py
# CHECK: 992.0
run(f"{sys.executable} use.py")
