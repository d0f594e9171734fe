"""A target of another package: kernels as loops, which the code generator of the CPU executes."""

import dataclasses

from gridir.compiler.cpu import CpuOptions
from gridir.compiler.options import Options
from gridir.compiler.passes import shared_context
from gridir.compiler.target import Execution, Target
from gridir.errors import UnsupportedError
from gridir.frontend.compat import jax_calls
from gridir.frontend.targets.hooks import TargetHooks


@dataclasses.dataclass(frozen=True)
class TrialOptions(Options):
    """Options of the target `trial`."""

    pipeline: str = "grid-to-cpu"


def _on_cpu(options):
    return CpuOptions(pipeline=f"{options.pipeline}{{stop-after=loops}},loops-to-cpu")


class TrialTarget(Target):
    """A target whose last stage is loops."""

    name = "trial"
    platform = "cpu"
    stages = ("grid", "grid-planned", "loops")
    options = TrialOptions
    executions = (Execution("loops", "by the code generator of the CPU", _on_cpu),)
    frontend = "trial:TrialHooks"
    report = "gridir.report.judges:Judge"

    def prepare(self, kernel):
        """See `Target`; returns the loops."""
        return kernel.once(lambda: str(kernel.module("loops", context=shared_context())))


class TrialHooks(TargetHooks):
    """Kernels that JAX does not call: their stages can be shown, and executed on the CPU."""

    def emitter(self, kernel, request):
        """See `TargetHooks`; a call that a program with this target's runtime would have."""

        def emit(context, operands):
            return jax_calls.emit_call(
                context,
                operands,
                "trial",
                {"key": kernel.key},
                aliases=request.operand_aliases,
                has_side_effect=kernel.has_side_effects,
            )

        return emit

    def executor(self, kernel):
        """See `TargetHooks`."""
        raise UnsupportedError("expected a stage that runs as native code")

    def emulator(self, kernel, request):
        """See `TargetHooks`."""
        raise UnsupportedError("expected a stage that runs as native code")

    def compile(self, lowered, **options):
        """See `TargetHooks`; returns the loops of each kernel."""
        return [kernel.prepare() for kernel in lowered.kernels]
