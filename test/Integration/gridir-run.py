# Every example runs from the command line, with nothing of gridir in its file.
#
# RUN: %python %s %repository/examples | FileCheck %s

import pathlib
import subprocess
import sys

# CHECK: 13 of 13 examples equal interpret mode from the command line
paths = sorted(pathlib.Path(sys.argv[1]).glob("*.py"))
count = 0
for path in paths:
    command = [sys.executable, "-m", "gridir", "run", str(path)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    equal = run.returncode == 0 and "results: equal to interpret mode's" in run.stdout
    if not equal:
        print(f"{path.stem}: {run.stdout}{run.stderr}")
    count += equal
print(f"{count} of {len(paths)} examples equal interpret mode from the command line")
