# RUN: %python %s %repository | FileCheck %s

# The tpu dialect of gridir and that of jaxlib are one language: modules that JAX's own lowering makes of the examples
# come back unchanged from gridir's parser and printer, and gridir's modules are read and verified by jaxlib.
import pathlib
import sys

root = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(root / "test/python/runtime/tpu/Inputs"))

import gridir
from gridir.cli.example import load_example
from gridir.frontend.targets.tpu_aot import jax_own
from gridir.mlir import ir
from jaxlib.mlir.passmanager import PassManager
from jaxlib_modules import parse


def through_gridir(text, generic=False):
    """The module as gridir's parser reads it and its printer writes it; its verifiers run in between."""
    with ir.Context():
        module = ir.Module.parse(text)
        module.operation.verify()
        return module.operation.get_asm(print_generic_op_form=generic)


def canonical(module):
    """A form of a jaxlib module that does not depend on how it was written."""
    module.operation.verify()
    return module.operation.get_asm(print_generic_op_form=True)


theirs, ours, problems = 0, 0, []
for path in sorted((root / "examples").glob("*.py")):
    example = load_example(str(path), None)
    function, args = example.function, example.args
    refused_by_jax = False
    for kernel in jax_own(function, *args):
        if kernel.program is None:
            refused_by_jax = True
            # Output of kernels that JAX's lowering rejects is not compared.
            continue
        theirs += 1
        read = parse(kernel.program.body)
        with read.context:
            PassManager.parse("builtin.module(mosaic-serde{serialize=false})").run(read.operation)
        try:
            texts = (read.operation.get_asm(), read.operation.get_asm(print_generic_op_form=True))
            same = [canonical(parse(through_gridir(text))) == canonical(read) for text in texts]
            problems += [f"{path.stem}: gridir writes another module"] * same.count(False)
        except (ir.MLIRError, ValueError) as error:
            problems.append(f"{path.stem}, JAX's: {error}")
    for kernel in gridir.lower(function, *args, target="tpu").kernels:
        try:
            # In the form of libtpu: other ops than those of tpu have another custom form in each version of MLIR.
            parse(through_gridir(kernel.text("tpu"), generic=True)).operation.verify()
            ours += 1
        except gridir.Error as error:
            # No TPU holds the blocks of one example, as JAX's lowering finds, too.
            problems += [] if refused_by_jax else [f"{path.stem}, gridir's: {error}"]
        except Exception as error:
            problems.append(f"{path.stem}, gridir's: {error}")

print("\n".join(problems))
# CHECK: 11 modules of JAX's, 12 of gridir's, 0 problems
print(f"{theirs} modules of JAX's, {ours} of gridir's, {len(problems)} problems")
