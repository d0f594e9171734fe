# RUN: %python %s | FileCheck %s

# A JAX outside of the tested range is refused with one sentence, before anything private of it is imported.
import gridir
from gridir.frontend.jax_compat import TESTED_VERSIONS, check_version

check_version(TESTED_VERSIONS[0])
for version in ((0, 10, 1), TESTED_VERSIONS[1]):
    try:
        check_version(version)
    except gridir.JaxVersionError as error:
        # CHECK: expected a JAX from 0.10.2 to before 0.13.0, got 0.10.1
        # CHECK-NEXT: note: gridir uses parts of JAX that change between releases
        # CHECK-NEXT: expected a JAX from 0.10.2 to before 0.13.0, got 0.13.0
        print(error)
