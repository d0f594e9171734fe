# RUN: %python %s | FileCheck %s

# Which loop of a listing is the steady one, and which of its instructions count.

from gridir.runtime.ptxas import read_sass


def show(title, text):
    loop = read_sass(text).steady_loop()
    print(title, loop and (loop.instructions, loop.units, dict(sorted(loop.names.items()))))


# NOPs and instructions after the branch back do not count: the next try of a wait, which jumps back into the loop.
# CHECK: a wait that is tried again (6, 2, {'BRA': 2, 'HGMMA': 2, 'SYNCS': 1, 'UIADD3': 1})
WAIT = """
        /*0010*/                   UMOV UR4, URZ ;
.L_x_1:
        /*0020*/                   SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R1 ;
        /*0030*/              @!P0 BRA `(.L_x_3) ;
.L_x_2:
        /*0040*/                   HGMMA.64x128x16.F32 R88, gdesc[UR8].tnspB, R88 ;
        /*0050*/                   NOP ;
        /*0060*/                   HGMMA.64x128x16.F32 R24, gdesc[UR8].tnspB, R24, gsb0 ;
        /*0070*/                   UIADD3 UR4, UR4, 0x1, URZ ;
        /*0080*/                   BRA.U UP0, `(.L_x_1) ;
        /*0090*/                   EXIT ;
.L_x_3:
        /*00a0*/                   SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R1 ;
        /*00b0*/              @!P0 BRA `(.L_x_3) ;
        /*00c0*/                   BRA `(.L_x_2) ;
"""
show("a wait that is tried again", WAIT)

# In nested loops, the inner one counts, though the outer one has more products; of two consecutive loops the one with
# more.
# CHECK-NEXT: nested (3, 2, {'BRA': 1, 'UTCHMMA': 2})
NESTED = """
.L_x_0:
        /*0010*/                   UTCHMMA gdesc[UR8], gdesc[UR10], tmem[UR4], tmem[UR6], idesc[UR7], UP0 ;
.L_x_1:
        /*0020*/                   UTCHMMA gdesc[UR8], gdesc[UR10], tmem[UR4], tmem[UR6], idesc[UR7], UP0 ;
        /*0030*/                   UTCHMMA gdesc[UR8], gdesc[UR10], tmem[UR4], tmem[UR6], idesc[UR7], UP0 ;
        /*0040*/               @P0 BRA `(.L_x_1) ;
.L_x_2:
        /*0050*/                   HMMA.16816.F32 R4, R8, R2, R4 ;
        /*0060*/               @P0 BRA `(.L_x_2) ;
        /*0070*/               @P1 BRA `(.L_x_0) ;
        /*0080*/                   EXIT ;
"""
show("nested", NESTED)

# A branch back to code that is reachable in another way is no loop, nor is unreachable code.
# CHECK-NEXT: no loop None
NO_LOOP = """
        /*0010*/               @P0 BRA `(.L_x_1) ;
.L_x_0:
        /*0020*/                   HMMA.16816.F32 R4, R8, R2, R4 ;
.L_x_1:
        /*0030*/                   IADD3 R1, R1, 0x1, RZ ;
        /*0040*/               @P1 BRA `(.L_x_0) ;
        /*0050*/                   EXIT ;
.L_x_2:
        /*0060*/                   HMMA.16816.F32 R4, R8, R2, R4 ;
        /*0070*/                   BRA `(.L_x_2) ;
"""
show("no loop", NO_LOOP)

# CHECK-NEXT: no product None
show("no product", WAIT.replace("HGMMA", "FFMA"))
# CHECK-NEXT: nothing None
show("nothing", "")
