# RUN: %python %s %repository | FileCheck %s

# The instructions that are removed from a text, one at a time. Two barriers without an effect in between are removed
# together; one after a store, or after a label, is removed alone.

import sys
from pathlib import Path

sys.path.insert(0, str(Path(sys.argv[1]) / "tools" / "jax-conformance"))
import mutants

TEXT = """
 bar.sync 0;
 cp.async.bulk.wait_group.read 0;
 add.u32 %r1, %r1, 1;
 bar.sync %r2, 128;
 st.shared.b32 [%r1], %r2;
 @%p0 bar.sync 0;
$L__1:
 bar.sync 0;
 mbarrier.try_wait.parity.shared.b64 P1, [%r1], %r2, %r3;
 mbarrier.arrive.expect_tx.shared.b64 %rd1, [%r1], 4;
 @%p1 mbarrier.arrive.release.cta.shared::cta.b64 %rd1, [%r1], 1;
 wgmma.fence.sync.aligned;
"""
for mutant in mutants.mutants(TEXT):
    left = mutant.text.split("\n")
    gone = [(x.strip(), y.strip()) for x, y in zip(TEXT.split("\n"), left, strict=True) if x != y]
    print(mutant.kind, mutant.line, gone)
# CHECK: bar.sync 2 [('bar.sync 0;', ''), ('bar.sync %r2, 128;', '')]
# CHECK-NEXT: cp.async.bulk.wait_group 3 [('cp.async.bulk.wait_group.read 0;', '')]
# CHECK-NEXT: bar.sync 7 [('@%p0 bar.sync 0;', '')]
# CHECK-NEXT: bar.sync 9 [('bar.sync 0;', '')]
# CHECK-NEXT: mbarrier.try_wait 10 [('mbarrier.try_wait.parity.shared.b64 P1, [%r1], %r2, %r3;', 'setp.eq.b32 P1, {{.*}}
# CHECK-NEXT: mbarrier.arrive 12 [('@%p1 mbarrier.arrive.release.cta.shared::cta.b64 %rd1, [%r1], 1;', '')]
# CHECK-NEXT: wgmma.fence 13 [('wgmma.fence.sync.aligned;', '')]
