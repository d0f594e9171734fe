# RUN: %python %s %S | FileCheck %s

# A target of another package is one object, which an entry point names. Every command takes it.
import os
import subprocess
import sys
import tempfile
from pathlib import Path

here = Path(sys.argv[1])
package, example = here / "Inputs" / "trial", here.parent / "cli" / "Inputs" / "double.py"


def gridir(*arguments, installed=True):
    """Runs the command; returns its output."""
    paths = [str(package)] * installed + [os.environ["PYTHONPATH"]]
    command = [sys.executable, "-m", "gridir", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout


# A new target touches fewer than 12 files.
files = [path for path in package.rglob("*") if path.is_file() and path.suffix != ".pyc"]
# CHECK: files: 3 True
print("files:", len(files), len(files) < 12)

# CHECK: func.func @double
print(gridir("lower", example, "--target", "trial", "--stage", "loops"))
# CHECK: executed: stage loops, by the code generator of the CPU
# CHECK: results: equal to interpret mode's
print(gridir("run", example, "--target", "trial"))
# CHECK: double: 1 accepted
# CHECK: trial {{ *}}double {{ *}}accepted {{ *}}gridir
print(gridir("targets", example, "--target", "trial"))
with tempfile.TemporaryDirectory() as directory:
    page = Path(directory, "page.html")
    gridir("report", example, "--target", "trial", "--no-run", "-o", page)
    # CHECK: report: True
    print("report:", "trial" in page.read_text())

# Without the package there is no such target.
# CHECK: expected a target (cpu, tpu, gpu), got 'trial'
print(gridir("lower", example, "--target", "trial", installed=False))
# CHECK: expected a target (cpu, tpu, gpu, trial), got 'trail'
print(gridir("lower", example, "--target", "trail"))
