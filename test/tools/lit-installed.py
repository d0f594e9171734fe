# RUN: rm -rf %t && %python %s %repository %t | FileCheck %s

# lit, which tests the package that is installed, stops where that is older than the sources, if only in Python.
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import lit

repository, directory = map(Path, sys.argv[1:])
venv.create(directory, with_pip=False)
site = Path(sysconfig.get_path("purelib", vars={"base": str(directory)}))
# Not where another environment has the tools.
environment = {"PATH": os.defpath, "PYTHONPATH": str(Path(lit.__file__).parent.parent)}


def run(what):
    """Runs lit by the Python of an environment, and prints why it stopped."""
    command = [
        directory / "bin" / "python",
        "-c",
        "from lit.main import main; main()",
        repository / "test" / "Register",
    ]
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    print(f"{what}: {result.returncode}, {result.stderr.partition('fatal: ')[2].strip()}")


# CHECK: nothing is installed: 2, expected gridir to be installed beside the Python that runs lit; make test does that
run("nothing is installed")

# Code after this check misses the tools, which an installation has beside Python.
# CHECK-NEXT: the same: 2, expected gridir-opt in
shutil.copytree(repository / "python" / "gridir", site / "gridir")
run("the same")

# CHECK-NEXT: another line: 2, expected the installed package to be that of the sources, got another errors.py in
with open(site / "gridir" / "errors.py", "a") as file:
    file.write("# changed\n")
run("another line")

# CHECK-NEXT: fewer files: 2, {{.*}} got another cli/check.py, cli/chip.py, cli/errors.py, ... in
for path in (site / "gridir" / "cli").glob("[ce]*.py"):
    path.unlink()
run("fewer files")
