# RUN: %python %s | FileCheck %s

# Every keyword that JAX's sources bind a primitive with is a parameter that the rule of the primitive knows: a JAX that
# adds one is told of here, all at once, and not by the first kernel that has it.
from pathlib import Path
from tempfile import TemporaryDirectory

from gridir.frontend.compat import jax_changes
from gridir.frontend.compat.jax_equations import CHANGES, is_of_this_jax
from gridir.frontend.walk.levels import LEVELS
from gridir.frontend.walk.registry import BASE

# The first check of a process, which has imported no more of JAX than gridir has.
unknown, count = jax_changes.unknown_parameters()
# CHECK: unknown: []
# CHECK-NEXT: more than 100 primitives: True
print("unknown:", unknown)
print("more than 100 primitives:", count > 100)

# A keyword that a later JAX adds is told of, whatever primitive it is added to. Left out are a primitive whose rule is
# given the whole equation, one that may be gridir's own, and one that JAX 0.10 binds as any call.
bound_parameters = jax_changes.bound_parameters
jax_changes.bound_parameters = lambda root: {
    where: {*names, "added"} for where, names in bound_parameters(root).items()
}
told = {name.removesuffix(": added") for name in jax_changes.unknown_parameters()[0]}
jax_changes.bound_parameters = bound_parameters
takes_any = {name for level in LEVELS for name in level.supported() if level.find(name).known and is_of_this_jax(name)}
# CHECK-NEXT: added, and not told of: []
print("added, and not told of:", sorted(takes_any - told - {"emit_pipeline", "jaxpr_call", "closed_call"}))

# The check does find what is new.
with TemporaryDirectory() as directory:
    (Path(directory) / "_src").mkdir()
    (Path(directory) / "_src" / "new.py").write_text(
        "# add_p.bind(x, but this is no call\n"
        'out = add_p.bind(x, f(y=1), "(", size=(1, 2), **rest)[0]\n'
        "return module.sub_p.bind(*xs,\n  precision=None)\n"
        "def _reduce(\n    prim: Primitive, x):\n  return prim.bind(x, axes=axes)\n"
        "sum = partial(_reduce, sum_p)\n"
        "out = _reduce(max_p, x)\n"
    )
    bound = jax_changes.bound_parameters(Path(directory))
# CHECK-NEXT: add_p: size, max_p: axes, prim: axes, sub_p: precision, sum_p: axes
print(*sorted(f"{name}: {', '.join(sorted(names))}" for (_, name), names in bound.items()), sep=", ")

# Equations of an earlier JAX are converted: rules only read the newest form.
# CHECK-NEXT: rules without the newest form: []
lacking = [
    f"{name}: {parameter}"
    for name, change in CHANGES.items()
    for parameter in {*change.adds, *change.renames.values(), *filter(None, [change.operand])}
    for rule in filter(None, [BASE.find(name)])
    if parameter not in rule.known
]
print("rules without the newest form:", lacking)
