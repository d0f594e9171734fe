from ._grid_ops_gen import *  # noqa: F403
