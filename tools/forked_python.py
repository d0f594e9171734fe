# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs Python programs in forks of a process that has imported JAX and gridir, which takes 1.4 s.

    python tools/forked_python.py --serve SOCKET
    python -IS tools/forked_python.py SOCKET [-c CODE | -m MODULE | FILE] [ARGUMENT...]

The first command serves until its stdin ends. The second has the effect of `python` with the same arguments: the
program has its files, directory, environment, limits and processors, and its exit status is that of the program. It
starts a new Python if there is no server, or if the environment differs in a variable that is read at the start.
"""

import os
import signal
import socket
import sys

# Python or a library reads variables with these prefixes when it starts.
_READ_AT_START = ("GRIDIR_", "JAX_", "LANG", "LC_", "LD_", "MALLOC_", "OMP_", "OPENBLAS_", "PYTHON")


# The modules that programs find imported.
_IMPORTED = (
    "filecheck.main",
    "gridir.cli.main",
    "gridir.frontend.lower",
    "jax.experimental.pallas.mosaic_gpu",
    "jax.experimental.pallas.triton",
)


class Program:
    """The request of a client, as the server receives it."""

    def __init__(self, connection: socket.socket) -> None:
        size, self.files, _, _ = socket.recv_fds(connection, 8, 3)
        data = b""
        while len(data) < int.from_bytes(size, "little"):
            data += connection.recv(1 << 16)
        client, count, self.directory, *words = (os.fsdecode(word) for word in data.split(b"\0")[:-1])
        self.client = int(client)
        self.arguments = words[: int(count)]
        self.environment = dict(word.split("=", 1) for word in words[int(count) :])

    def can_fork(self) -> bool:
        """True if a new Python would start in the same way as the server did."""

        def read_at_start(environment: dict[str, str]) -> dict[str, str]:
            return {name: value for name, value in environment.items() if name.startswith(_READ_AT_START)}

        kind = self.arguments[0] if self.arguments else "-"
        same = read_at_start(self.environment) == read_at_start(dict(os.environ))
        return same and (kind in ("-c", "-m") or not kind.startswith("-"))

    def close(self) -> None:
        """Closes the client's files in the server."""
        for file in self.files:
            os.close(file)

    def adopt(self) -> None:
        """Makes this process one that the client could have started."""
        import resource

        for number, file in enumerate(self.files):
            os.dup2(file, number)
        self.close()
        os.chdir(self.directory)
        os.environ.clear()
        os.environ.update(self.environment)
        os.sched_setaffinity(0, os.sched_getaffinity(self.client))
        for name in dir(resource):
            if name.startswith("RLIMIT_"):
                limit = getattr(resource, name)
                resource.setrlimit(limit, resource.prlimit(self.client, limit))

    def run(self) -> None:
        """Runs the program as the module `__main__`; a traceback has no frame of this file."""
        import runpy
        import types

        kind, *rest = self.arguments
        module = types.ModuleType("__main__")
        sys.modules["__main__"] = module
        try:
            if kind == "-m":
                sys.argv, sys.path[0] = ["-m", *rest[1:]], self.directory
                runpy._run_module_as_main(rest[0])
            elif kind == "-c":
                sys.argv, sys.path[0] = ["-c", *rest[1:]], ""
                exec(compile(rest[0], "<string>", "exec", dont_inherit=True), module.__dict__)
            else:
                sys.argv, sys.path[0] = [kind, *rest], os.path.dirname(os.path.realpath(kind))
                module.__file__ = kind
                with open(kind, "rb") as file:
                    code = compile(file.read(), kind, "exec", dont_inherit=True)
                exec(code, module.__dict__)
        except Exception as error:
            trace = error.__traceback__
            sys.excepthook(type(error), error, trace and trace.tb_next)
            sys.exit(1)


def serve(path: str) -> Program | None:
    """Forks for every client until stdin ends. Returns the program in a fork, and None in the server."""
    import gc
    import importlib
    import select

    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(64)

    for name in _IMPORTED:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    ready = select.poll()
    ready.register(0, select.POLLIN)
    ready.register(listener, select.POLLIN)
    # A running program by its descriptor and by that of its client's connection.
    running: dict[int, tuple[int, int, socket.socket]] = {}
    while True:
        for file, _ in ready.poll():
            if file == 0:
                return None
            if file != listener.fileno():
                finish(running, ready, file)
                continue
            connection, _ = listener.accept()
            program = Program(connection)
            if not program.can_fork():
                program.close()
                connection.close()
                continue
            child = os.fork()
            if child == 0:
                listener.close()
                for _, _, other in running.values():
                    other.close()
                connection.close()
                program.adopt()
                return program
            program.close()
            process = os.pidfd_open(child)
            for file in (process, connection.fileno()):
                running[file] = (child, process, connection)
                ready.register(file, select.POLLIN)
    return None


def finish(running: dict, ready: object, file: int) -> None:
    """Reports the status of a program that has ended, or ends one whose client has."""
    child, process, connection = running[file]
    if file != process:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if file == process:
        connection.sendall(str(os.waitstatus_to_exitcode(status)).encode())
    for other in (process, connection.fileno()):
        ready.unregister(other)
        del running[other]
    os.close(process)
    connection.close()


def request(path: str, arguments: list[str]) -> int | None:
    """Returns the exit status of a program, negative for a signal, or None if no server runs it."""
    environment = (f"{name}={value}" for name, value in os.environ.items())
    words = [str(os.getpid()), str(len(arguments)), os.getcwd(), *arguments, *environment]
    data = b"".join(os.fsencode(word) + b"\0" for word in words)
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(path)
        socket.send_fds(connection, [len(data).to_bytes(8, "little")], [0, 1, 2])
        connection.sendall(data)
        answer = connection.recv(16)
    except OSError:
        return None
    return int(answer) if answer else None


def main() -> None:
    """Serves, runs a program in a fork of the server, or asks the server for that."""
    first, *arguments = sys.argv[1:]
    if first == "--serve":
        program = serve(arguments[0])
        if program is not None:
            program.run()
        return
    status = request(first, arguments)
    if status is None:
        os.execv(sys.executable, [sys.executable, *arguments])
    if status < 0:
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    sys.exit(status)


if __name__ == "__main__":
    main()
