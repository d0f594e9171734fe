# RUN: %python %s %S/Inputs/double.py | FileCheck %s

# Long operations show their progress on a terminal, and leave standard output to results.
import os
import pty
import subprocess
import sys

main, other = pty.openpty()
command = [sys.executable, "-m", "gridir", "run", "--repeat", "1", sys.argv[1]]
process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=other)
os.close(other)
shown = b""
while True:
    try:
        shown += os.read(main, 4096)
    except OSError:  # How a terminal ends whose other side is closed.
        break
output = process.stdout.read().decode()

# CHECK: shown: True True
print("shown:", *(text in shown for text in (b"compiling and running double for cpu", b"again, to compare")))
# CHECK: printed: double: float32[64,64]
# CHECK-NOT: compiling and running
print("printed:", output)
