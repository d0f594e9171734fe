# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks one input with LLVM's FileCheck and with PyPI's `filecheck`; both must accept it.

    producer | python tools/filecheck_both.py path/to/FileCheck CHECKS [OPTION...]

CI uses it (`GRIDIR_FILECHECK=both`), so that the suite runs once instead of once with each of them.
"""

import io
import subprocess
import sys

from filecheck.main import main

if __name__ == "__main__":
    llvm, *arguments = sys.argv[1:]
    data = b"" if any("input-file" in argument for argument in arguments) else sys.stdin.buffer.read()
    status = subprocess.run([llvm, *arguments], input=data).returncode
    if status != 0:
        sys.exit(status)
    sys.stdin = io.TextIOWrapper(io.BytesIO(data))
    sys.exit(main(["filecheck", *arguments]))
