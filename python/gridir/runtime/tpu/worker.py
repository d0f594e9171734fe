# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program of a worker process: compiles XLA programs with libtpu and replies with the result of each.

It imports jaxlib and libtpu but not JAX, so that it starts in a third of a second. libtpu may abort or hang on a
program; that is why it runs here, and `workers.py` deals with the end of it.
"""

from __future__ import annotations

import glob
import importlib
import os
import shutil
import sys
import time
from multiprocessing.connection import Connection
from typing import Any

from gridir.runtime.tpu.dumps import read_dumps
from gridir.runtime.xla_compiler import XlaCompiler, serve

# Only the data of the report: libtpu can write every one of its seventy passes.
_DUMPED_PASSES = "final_bundles|post-ra$|final_hlo-static-per-bundle-utilization"


def libtpu_arguments(directory: str) -> str:
    """The flags of libtpu, which it reads once: it writes its final schedule, with locations, to a directory."""
    return (
        f"--xla_jf_dump_to={directory} --xla_jf_dump_llo_text=true --xla_jf_dump_llo_pass_label_regex={_DUMPED_PASSES}"
        " --xla_mosaic_enable_llo_source_annotations=true"
    )


class Compiler:
    """libtpu's compiler for one topology.

    Attributes:
      device: the parts of the topology: device kind, number of devices, version of libtpu.
    """

    def __init__(self, topology: str, directory: str):
        """Loads libtpu; `directory` is where it was told to write its schedules."""
        import libtpu
        from jaxlib import xla_client

        xla_client.load_pjrt_plugin_dynamically("tpu", libtpu.get_library_path())
        xla_client.initialize_pjrt_plugin("tpu")
        self._compiler = XlaCompiler(xla_client.make_tfrt_tpu_c_api_device_topology(topology))
        self._directory = directory
        self.device = {
            "device_kind": self._compiler.device.device_kind,
            "libtpu": str(self._compiler.client.platform_version).splitlines()[-1].strip(),
        }

    def compile(self, program: bytes, keep: str | None = None) -> dict[str, Any]:
        """Compiles one program; the reply has an `error`, or figures of the kernel in it.

        Args:
          program: a StableHLO module with one call of `tpu_custom_call`.
          keep: a directory that libtpu's files are moved to; None to remove them.
        """
        start = time.perf_counter()
        try:
            executable = self._compiler.compile(program)
            reply: dict[str, Any] = {"code_bytes": executable.get_compiled_memory_stats().generated_code_size_in_bytes}
        except Exception as error:
            # Every way of saying no is an answer: XLA's errors have several types, none of them public.
            reply = {"error": str(error)}
        reply["seconds"] = time.perf_counter() - start
        files = glob.glob(os.path.join(glob.escape(self._directory), "*"))
        if "error" not in reply:
            reply.update(read_dumps(files))
        for file in files:
            if keep is None:
                os.unlink(file)
            else:
                os.makedirs(keep, exist_ok=True)
                shutil.move(file, keep)
        return reply


if __name__ == "__main__":
    # jaxlib looks for its own parts relative to the path, which must not contain this file's directory.
    importlib.invalidate_caches()
    serve(Connection(int(sys.argv[1])), lambda: Compiler(sys.argv[2], sys.argv[3]))
