# RUN: %python %s | FileCheck %s

# The work that instructions show, by which a model predicts a time.

from gridir.runtime.ptxas import CodeCounts, read_sass


def show(title, text):
    counts = read_sass(text).counts()
    print(title, counts.to_json())
    assert CodeCounts.from_json(counts.to_json()) == counts
    return counts


# A product of a warpgroup of 64 x 128 x 16 counts for each of its four warps. Functions are counted apart.
# CHECK: products {'loop_instructions': 4, 'loop_functions': 1, 'loop_flops': 131072.0,
# CHECK-SAME: 'loop_warp_flops': 0, 'loop_bytes': 0.0, 'loop_shared_bytes': 0.0,
# CHECK-SAME: 'other_instructions': 2, 'other_functions': 0, 'other_shared_bytes': 0.0, 'loops': 1}
PRODUCTS = """
        /*0010*/                   UMOV UR4, URZ ;
.L_x_1:
        /*0040*/                   HGMMA.64x128x16.F32 R88, gdesc[UR8].tnspB, R88 ;
        /*0060*/                   HGMMA.64x128x16.F32 R24, gdesc[UR8].tnspB, R24, gsb0 ;
        /*0070*/                   MUFU.EX2 R1, R2 ;
        /*0080*/               @P0 BRA `(.L_x_1) ;
        /*0090*/                   EXIT ;
"""
counts = show("products", PRODUCTS)
# CHECK-NEXT: trips 8.0
print("trips", counts.trips(8 * 131072, 0))

# CHECK-NEXT: warps {{.*}}'loop_flops': 12288.0, 'loop_warp_flops': 12288.0
WARPS = """
.L_x_1:
        /*0040*/                   HMMA.16816.F32.BF16 R4, R8, R2, R4 ;
        /*0050*/                   IMMA.16832.S8.S8 R4, R8.ROW, R2.COL, R4 ;
        /*0080*/               @P0 BRA `(.L_x_1) ;
        /*0090*/                   EXIT ;
"""
show("warps", WARPS)

# Without matrix units, loops that multiply and add, or else those that access global memory.
# CHECK-NEXT: scalars {'loop_instructions': 3, {{.*}}'loop_flops': 128.0, {{.*}}'loop_bytes': 0.0
SCALARS = """
.L_x_0:
        /*0010*/                   LDG.E.128 R4, desc[UR6][R2.64] ;
        /*0020*/               @P0 BRA `(.L_x_0) ;
.L_x_1:
        /*0030*/                   FFMA R4, R8, R2, R4 ;
        /*0040*/                   FFMA R5, R8, R2, R5 ;
        /*0050*/               @P0 BRA `(.L_x_1) ;
        /*0060*/                   EXIT ;
"""
show("scalars", SCALARS)
# CHECK-NEXT: accesses {'loop_instructions': 4, {{.*}}'loop_bytes': 704.0, {{.*}}'other_instructions': 1,
ACCESSES = """
.L_x_0:
        /*0010*/                   LDG.E.128.CONSTANT R4, desc[UR6][R2.64] ;
        /*0020*/                   LDG.E.U16 R4, desc[UR6][R2.64] ;
        /*0030*/                   STG.E R4, desc[UR6][R2.64] ;
        /*0040*/               @P0 BRA `(.L_x_0) ;
        /*0050*/                   EXIT ;
"""
show("accesses", ACCESSES)

# The shape of a product of tcgen05 is an operand: the trips are not known. Code without loops runs once.
# CHECK-NEXT: descriptors {{.*}}'loop_flops': 0.0
DESCRIPTORS = """
.L_x_1:
        /*0020*/                   UTCHMMA gdesc[UR8], gdesc[UR10], tmem[UR4], tmem[UR6], idesc[UR7], UP0 ;
        /*0030*/               @P0 BRA `(.L_x_1) ;
        /*0040*/                   EXIT ;
"""
counts = show("descriptors", DESCRIPTORS)
# CHECK-NEXT: trips None
print("trips", counts.trips(8.0, 8.0))
# CHECK-NEXT: once {{.*}}'other_instructions': 2, 'other_functions': 1, {{.*}}'loops': 0}
counts = show("once", "        /*0010*/   MUFU.RCP R1, R2 ;\n        /*0020*/   EXIT ;\n")
# CHECK-NEXT: trips 0.0
print("trips", counts.trips(8.0, 8.0))

# Matrices of 128 bytes, vectors, and stacks are moved on one path.
# CHECK-NEXT: shared {{.*}}'loop_shared_bytes': 1472.0, {{.*}}'other_shared_bytes': 256.0
SHARED = """
        /*0010*/                   STL.64 [R1+0x8], R4 ;
.L_x_0:
        /*0020*/                   LDSM.16.M88.4 R4, [R2] ;
        /*0030*/                   LDSM.16.MT88.2 R4, [R2] ;
        /*0040*/                   LDS.128 R4, [R2] ;
        /*0050*/                   STS.U16 [R2], R4 ;
        /*0060*/                   STSM.16.M88 [R2], R4 ;
        /*0070*/                   HMMA.16816.F32.BF16 R4, R8, R2, R4 ;
        /*0080*/               @P0 BRA `(.L_x_0) ;
        /*0090*/                   EXIT ;
"""
show("shared", SHARED)
