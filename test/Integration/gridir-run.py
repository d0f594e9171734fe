# Every example runs from the command line, with nothing of gridir in its file.
#
# RUN: %python %s %repository/examples | FileCheck %s

import pathlib
import re
import subprocess
import sys

# CHECK: 18 of 18 examples equal interpret mode, or their reference, from the command line
paths = sorted(pathlib.Path(sys.argv[1]).rglob("*.py"))
count = 0
for path in paths:
    command = [sys.executable, "-m", "gridir", "run", str(path)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    equal = run.returncode == 0 and re.search(r"results: equal to (interpret mode|reference\(\))'s\n", run.stdout)
    if not equal:
        print(f"{path.stem}: {run.stdout}{run.stderr}")
    count += bool(equal)
print(f"{count} of {len(paths)} examples equal interpret mode, or their reference, from the command line")
