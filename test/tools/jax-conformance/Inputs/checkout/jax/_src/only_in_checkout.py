# A module that the installed JAX lacks, as those that only its tests need.

SHAPE = (8, 128)
