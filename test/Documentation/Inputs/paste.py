"""Runs every snippet of a page, in the order of the page, in one empty directory: `paste.py PAGE DIRECTORY`.

- A block of Python or MLIR that begins with a comment with a file name (`# kernel.py`) is written to that file. Another
  block of Python is executed, and one of MLIR is parsed.
- A block of `sh` is executed with `sh -e`. The exit status must be the one after `status=`, else 0. A block with
  `needs=NAME` runs where a test can have it: `libtpu`, `ptxas`, `peer`, `gpu`. Not where it needs `install` or a
  `checkout`.
- A block of `text` is the output of the commands before it, in which three dots stand for anything.
"""

import contextlib
import importlib.util
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import traceback
from pathlib import Path

from gridir.frontend.capture.installation import Installation, set_global
from gridir.mlir import ir
from gridir.runtime.ptxas import toolkit

HAS = {
    "libtpu": importlib.util.find_spec("libtpu") is not None,
    "ptxas": toolkit.find_ptxas() is not None,
    "peer": importlib.util.find_spec("jax_cuda13_plugin") is not None and toolkit.find_ptxas() is not None,
    "report": importlib.util.find_spec("pygments") is not None,
    "gpu": shutil.which("nvidia-smi") is not None,
    "install": False,
    "checkout": False,
}
FILE = re.compile(r"(?:#|//|;) ([\w-]+\.\w+)\n")


def run_python(code: str, name: str) -> str | None:
    """Executes a block in this process; returns the error."""
    # JAX reads the lines of kernels.
    Path(name).write_text(code)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(code, name, "exec"), {"__name__": Path(name).stem})
    except Exception:
        return traceback.format_exc(limit=-2)
    finally:
        set_global(Installation(()))
    return None


def run_shell(script: str, status: int) -> tuple[str, str | None]:
    """Executes a block; returns its output and the error."""
    done = subprocess.run(["sh", "-e", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != status:
        return done.stdout, f"expected exit status {status}, got {done.returncode} of\n{script}{done.stdout}"
    return done.stdout, None


def parse_mlir(text: str) -> str | None:
    """Parses a block, in which a line of three dots stands for ops; returns the error."""
    text = re.sub(r"^ *\.\.\.$", '"example.elided"() : () -> ()', text, flags=re.MULTILINE)
    with ir.Context() as context, ir.Location.unknown():
        context.allow_unregistered_dialects = True
        try:
            ir.Module.parse(text)
        except ir.MLIRError as error:
            return str(error)
    return None


def main() -> int:
    page, directory = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    binaries = directory.with_suffix(".bin").resolve()
    for path in (directory, binaries):
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
    for name, command in (("gridir", "-m gridir"), ("python", "")):
        (binaries / name).write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {command} "$@"\n')
        (binaries / name).chmod(0o755)
    os.environ["PATH"] = f"{binaries}{os.pathsep}{os.environ['PATH']}"
    os.environ["JAX_ENABLE_COMPILATION_CACHE"] = "0"
    os.chdir(directory)
    sys.path.insert(0, ".")
    text = page.read_text()
    output: str | None = ""
    ran = left = failed = 0
    for block in re.finditer(r"^```(\w*)([^\n]*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        language, body, line = block[1], block[3], text.count("\n", 0, block.start()) + 1
        words = dict(word.split("=") for word in block[2].split())
        error = None
        if "needs" in words and not HAS[words["needs"]]:
            left += 1
            output = None
            continue
        if language in ("python", "mlir", "ptx") and (name := FILE.match(body)):
            Path(name[1]).write_text(body)
        elif language == "python":
            error = run_python(body, f"snippet_{line}.py")
        elif language == "mlir":
            error = parse_mlir(body)
        elif language == "sh":
            output, error = run_shell(body, int(words.get("status", 0)))
            output = output.replace(f"{Path.cwd()}/", "")
        elif language == "json":
            json.loads(body)
        elif language == "text" and output is not None:
            pattern = re.escape(body).replace(re.escape("..."), "(?s:.*)")
            if not re.fullmatch(pattern, output):
                error = f"expected\n{body}got\n{output}"
        else:
            continue
        ran += 1
        if error:
            failed += 1
            print(f"{page.name}:{line} fails: {error}")
    print(f"{ran} snippets, {left} left out, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
