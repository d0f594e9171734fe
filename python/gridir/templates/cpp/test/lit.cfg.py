# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tests of this project: `lit -v build/test`, or `ctest --test-dir build`."""

# ruff: noqa: F821

import os

import lit.formats

config.name = "my-passes"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
config.substitutions += [("my-opt", config.my_opt), ("FileCheck", config.filecheck)]
