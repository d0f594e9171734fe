# RUN: %python %s %t.py | FileCheck %s

# A JAX that is older than the tested ones is refused with one sentence, before anything private of it is imported. A
# newer one gives one warning, which names what moved.
import sys
import warnings
from pathlib import Path

import gridir
import jax
from gridir.frontend.compat import jax_changes
from gridir.frontend.compat.releases import NEWEST, OLDEST

# CHECK: tested: True True False
print("tested:", *map(jax_changes.check_version, (OLDEST, NEWEST, (NEWEST[0], NEWEST[1] + 1, 0))))
try:
    jax_changes.check_version((0, 10, 1))
except gridir.JaxVersionError as error:
    # CHECK-NEXT: expected JAX 0.10.2 or later, got 0.10.1
    # CHECK-NEXT: note: gridir uses parts of JAX that change between releases
    print(error)

# Features that a file uses and JAX lacks: a module, a name, an attribute, and a name that is bound to None.
file = Path(sys.argv[1])
file.write_text(
    "from jax._src import core as _core, gone as _gone\n"
    "from jax._src.nowhere import name\n"
    "_core.Jaxpr, _core.NoSuchName\n"
)
# CHECK-NEXT: moved: ['jax._src.core.NoSuchName', 'jax._src.gone', 'jax._src.nowhere.name']
print("moved:", jax_changes.moved_names([file]))


def warned(moved, unknown):
    """The warnings of the parts of gridir that check a JAX which is newer, where it lacks or has so much."""
    jax_changes._warn_once.cache_clear()
    jax_changes.moved_names = lambda: moved
    jax_changes.unknown_parameters = lambda: (unknown, 1)
    jax_changes.moved_primitives = lambda: ["scan"] if unknown else []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for check in (jax_changes.check_names, jax_changes.check_rules) * 2:
            check()
    for warning in caught:
        assert warning.category is gridir.JaxVersionWarning
        print(warning.message)


# CHECK-NEXT: tested releases give no warning
warned(["jax._src.core.Jaxpr"], [])
print("tested releases give no warning")
jax.__version_info__ = (0, 99, 0)
# CHECK-NEXT: gridir is tested with JAX 0.10.2 to {{[0-9.]+}}, and this is JAX
# CHECK-SAME: these parts of JAX moved: jax._src.core.Jaxpr
warned(["jax._src.core.Jaxpr"], [])
# CHECK-NEXT: these parts of JAX moved: primitive scan, swap: compress
warned([], ["swap: compress"])
# CHECK-NEXT: no part of JAX that gridir knows moved
warned([], [])
# CHECK-NEXT: end
print("end")
