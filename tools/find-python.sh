#!/bin/sh
# Prints the newest Python that gridir supports. A command may exist without an interpreter behind it, as pyenv's shims
# do, so each candidate is run.
#
# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
for version in 3.13 3.12 3.11; do
  for python in "python$version" python3 python "${PYENV_ROOT:-$HOME/.pyenv}/versions/$version".*/bin/python; do
    found=$("$python" -c 'import sys, venv, ensurepip; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
    [ "$found" = "$version" ] && command -v "$python" && exit 0
  done
done
echo python3
