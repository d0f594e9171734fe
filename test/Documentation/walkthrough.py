# RUN: rm -rf %t && %python %s %repository/docs/bisect.md %t | FileCheck %s

# A page that leads through an example is true: its files are written, its commands run, and what they print is what the
# page shows, where three dots stand for anything.

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

page, directory = Path(sys.argv[1]), Path(sys.argv[2])
directory.mkdir(parents=True)
run = f"{shlex.quote(sys.executable)} -m gridir"
output, commands = "", 0
for info, body in re.findall(r"^```(.*)\n((?:.*\n)*?)```$", page.read_text(), re.MULTILINE):
    if name := re.fullmatch(r"\w+ file=(\S+)", info):
        (directory / name[1]).write_text(body)
    elif status := re.fullmatch(r"sh run(?:=(\d+))?", info):
        script = re.sub(r"^gridir ", f"{run} ", body, flags=re.MULTILINE)
        done = subprocess.run(["sh", "-e", "-c", script], cwd=directory, env=os.environ, capture_output=True, text=True)
        output = done.stdout
        commands += 1
        if done.returncode != int(status[1] or 0):
            print(f"expected exit status {status[1] or 0}, got {done.returncode} of {body}{done.stdout}{done.stderr}")
    elif info == "text":
        pattern = re.escape(body).replace(re.escape("..."), "(?s:.*)")
        if not re.fullmatch(pattern, output):
            print(f"expected\n{body}got\n{output}")

# CHECK-NOT: expected
# CHECK: 3 commands do what the page says
print(f"{commands} commands do what the page says")
