"""What gridir asks JAX for where plugins of JAX are installed: each is an entry point, as of a package."""

import importlib.metadata
import os

import gridir.host

os.environ.pop("JAX_PLATFORMS", None)
has_gpu = any(map(os.path.exists, gridir.host._NVIDIA_FILES))
for names in (("xla_cuda13",), ("xla_cuda13", "another"), ("another",)):
    entries = [importlib.metadata.EntryPoint(name, f"jax_plugins.{name}", "jax_plugins") for name in names]
    importlib.metadata.entry_points = lambda group, entries=entries: entries
    gridir.host.leave_devices_alone()
    asked = os.environ.pop("JAX_PLATFORMS", None)
    print(f"{', '.join(names)}: {'cpu' if has_gpu and names == ('xla_cuda13',) else asked}")
