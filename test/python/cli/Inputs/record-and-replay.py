"""The commands that keep and run calls, in one process, with what they answer to mistakes."""

import dataclasses
import pathlib
import sys

import numpy as np
from click.testing import CliRunner
from gridir.cli.main import main
from gridir.recording.archive import load, save

directory = pathlib.Path(sys.argv[1])
double = pathlib.Path(__file__).with_name("double.py")
one = directory / "double-1.gridir"


def call(what, wanted, *arguments):
    """Prints the exit status of a command, and what was looked for in its output."""
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    output = result.output.replace("\n", " ")
    at = output.find(wanted)
    shown = output[at : at + len(wanted) + 45].split("  ")[0].strip() if at >= 0 else output
    print(f"{what}: {result.exit_code}, {shown}")


call("record with a seed", "double-3.gridir", "record", double, "--seed", 7, "-o", directory)
call("show", '"seed": 7', "replay", "--show", "--json", directory / "double-3.gridir")
call("replay", '"differences": []', "replay", "--json", directory / "double-3.gridir")
record = load(one)
save(dataclasses.replace(record, results=(record.results[0] + np.float32(1),)), directory / "changed.gridir")
call("changed results", "results: different", "replay", directory / "changed.gridir")
call("no record", "expected a record of a kernel: File is not a zip file", "replay", double)
call("no file", "does not exist", "replay", directory / "nothing.gridir")
call("another target", "expected a target (cpu, tpu, gpu), got 'vax'", "replay", "--target", "vax", one)
save(dataclasses.replace(record, module=b"module { nonsense }"), directory / "broken.gridir")
call("not an op", "error", "replay", "--json", directory / "broken.gridir")
call("reduce two", "expected one FILE with --reduce, got 2", "replay", "--reduce", directory / "small", one, one)
wanted = "expected a record with passes that are right, or another target, got neither"
call("reduce nothing", wanted, "replay", "--reduce", directory / "small", one)
wanted = "error: expected every block of x_ref to overlap its array"
call("record what does not compile", wanted, "record", double.with_name("beyond.py"), "-o", directory)
call("record nothing", "no_kernel calls no Pallas kernel", "record", f"{double}:no_kernel", "-o", directory)
wanted = "expected a function that calls a Pallas kernel, got one without"
call("bisect nothing", wanted, "bisect", f"{double}:no_kernel")
call("bisect for another target", "expected a target (cpu, tpu, gpu), got 'vax'", "bisect", double, "--target", "vax")
wanted = "'no-such-pass' does not refer to a registered pass or pass pipeline"
call("bisect no pass", wanted, "bisect", double, "--pipeline", "no-such-pass")
call("bisect no file", "expected a file of passes", "bisect", double, "--pipeline", f"@{directory}/none")
