# RUN: %python %s | FileCheck %s

# Each instruction on the values at which it is easiest to get wrong, against NumPy or against what the manual says.

import os
import sys
from typing import Any

import ml_dtypes
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from kernels import run

I32 = np.array([0, 1, -1, 7, -7, 2**31 - 1, -(2**31), 123456789], np.int32)
U32 = I32.view(np.uint32)
I64 = np.array([0, 1, -1, 2**40 + 3, -(2**40), 2**63 - 1, -(2**63), 5], np.int64)
F32 = np.array([0.0, -0.0, 1.5, -2.5, np.inf, -np.inf, np.nan, 1e-40], np.float32)
G32 = np.array([1.0, 0.0, -3.25, 2.5, 1.0, -np.inf, 2.0, 1e-40], np.float32)
F64 = np.array([0.1, -0.0, 1e300, -1e-300, np.inf, np.nan, 3.0, -7.5])
F16 = np.array([1.0, -2.0, 65504.0, 6e-8, 0.333, np.inf, np.nan, 0.0], np.float16)
BF16 = np.array([1.0, -2.0, 3e38, 1e-38, 0.333, np.inf, np.nan, 0.0], ml_dtypes.bfloat16)
ROTATED = np.roll(I32, 3)
W32 = np.array([0.3, -0.07, 500.0, -1e9, np.nan, np.inf, 2.7, 1.0625], np.float32)
NARROW = {
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
    "e2m3": ml_dtypes.float6_e2m3fn,
    "e3m2": ml_dtypes.float6_e3m2fn,
}
SHIFTS = np.array([0, 1, 31, 32, 33, 255, 4, 8], np.int32)


def wide(x: Any, y: Any) -> Any:
    return x.astype(object) * y.astype(object)


def signed(values: Any, bits: int) -> np.ndarray:
    return np.array([(int(v) + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1) for v in values], f"i{bits // 8}")


def division(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return signed(
        [
            -1 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            for a, b in zip(x.tolist(), y.tolist(), strict=True)
        ],
        32,
    )


def shifted(x: np.ndarray, amounts: np.ndarray, left: bool) -> np.ndarray:
    pairs = zip(x.tolist(), amounts.tolist(), strict=True)
    return signed([(a << b if left else a >> b) if b < 32 or not left else 0 for a, b in pairs], 32)


def truncated_f16(x: np.ndarray) -> np.ndarray:
    """The bits of the numbers of 16 bits that are next towards zero; there is one NaN."""
    nearest = x.astype(np.float16)
    beyond = np.abs(nearest.astype(np.float64)) > np.abs(x)
    towards = np.where(beyond, np.nextafter(nearest, np.float16(0)), nearest).view(np.uint16)
    return np.where(np.isnan(x), np.uint16(0x7FFF), towards)


def narrowed(x: np.ndarray, dtype: Any) -> np.ndarray:
    """Codes of the narrow floats that are nearest; the largest for what is larger, and for NaN where there is none."""
    largest = float(ml_dtypes.finfo(dtype).max)
    codes = np.clip(np.nan_to_num(x, nan=largest), -largest, largest).astype(dtype).view(np.uint8)
    return np.where(np.isnan(x) & (ml_dtypes.finfo(dtype).bits == 8), 0x7F, codes).astype(np.uint8)


def above_one(codes: np.ndarray, dtype: Any, bits: int, result: Any) -> np.ndarray:
    one = np.array(1.0, np.float32).astype(dtype).view(np.uint8)
    return codes.astype(result) << result(bits) | one.astype(result)


def rounded_tf32(x: np.ndarray) -> np.ndarray:
    bits = (x.view(np.uint32) + np.uint32(0x1000)) & np.uint32(0xFFFFE000)
    return np.where(np.isnan(x), np.uint32(0x7FFFFFFF), np.where(np.isinf(x), x.view(np.uint32), bits)).astype(
        np.uint32
    )


def dot(x: np.ndarray, y: np.ndarray, kind: str, start: int) -> np.ndarray:
    """Sums of products of the elements of words; `y` may have more of them."""
    left = x.view(kind).reshape(len(x), -1).astype(np.int64)
    right = y.view(kind[0] + "1").reshape(len(y), -1).astype(np.int64)
    return (np.sum(left * right[:, : left.shape[1]], axis=1) + start).astype(np.int32)


def to_bits(x: Any) -> np.ndarray:
    return np.asarray(x).view(f"u{np.asarray(x).dtype.itemsize}")


with np.errstate(all="ignore"):
    ROWS = [
        ("add.s32 %d, %x0, %x1;", [I32, ROTATED], I32 + ROTATED),
        (
            "add.sat.s32 %d, %x0, %x1;",
            [I32, I32],
            np.clip(I32.astype(np.int64) * 2, -(2**31), 2**31 - 1).astype(np.int32),
        ),
        ("sub.u32 %d, %x0, %x1;", [I32, ROTATED], I32 - ROTATED),
        ("mul.lo.s32 %d, %x0, %x1;", [I32, ROTATED], I32 * ROTATED),
        ("mul.hi.s32 %d, %x0, %x1;", [I32, ROTATED], signed(wide(I32, ROTATED) // 2**32, 32)),
        ("mul.hi.u32 %d, %x0, %x1;", [I32, ROTATED], signed(wide(U32, np.roll(U32, 3)) // 2**32, 32)),
        ("mul.wide.s32 %d, %x0, %x1;", [I32, ROTATED], I32.astype(np.int64) * ROTATED),
        ("mad.lo.s32 %d, %x0, %x1, -3;", [I32, ROTATED], I32 * ROTATED - np.int32(3)),
        ("mad.wide.u32 %d, %x0, %x1, 9;", [I32, ROTATED], U32.astype(np.uint64) * np.roll(U32, 3) + np.uint64(9)),
        ("div.s32 %d, %x0, %x1;", [I32, ROTATED], division(I32, ROTATED)),
        ("rem.u32 %d, %x0, 7;", [I32], U32 % np.uint32(7)),
        ("rem.s32 %d, %x0, 0;", [I32], I32),
        ("min.s64 %d, %x0, 4;", [I64], np.minimum(I64, 4)),
        ("max.u32 %d, %x0, %x1;", [I32, ROTATED], np.maximum(U32, np.roll(U32, 3))),
        ("fma.rn.relu.f16 %d, %x0, %x1, %x0;", [F16, np.ones(8, np.float16)], np.maximum(F16 * np.float16(2), 0)),
        ("slct.s32.f32 %d, %x0, %x1, %x2;", [I32, ROTATED, F32], np.where(F32 >= 0, I32, ROTATED)),
        ("slct.ftz.s32.f32 %d, %x0, %x1, %x2;", [I32, ROTATED, -F32], np.where(-F32 >= -1e-39, I32, ROTATED)),
        ("slct.s32.s32 %d, %x0, %x1, %x1;", [I32, ROTATED], np.where(ROTATED >= 0, I32, ROTATED)),
        ("min.relu.s32 %d, %x0, %x1;", [I32, ROTATED], np.maximum(np.minimum(I32, ROTATED), 0)),
        ("abs.s32 %d, %x0;", [I32], np.abs(I32)),
        ("neg.s64 %d, %x0;", [I64], -I64),
        (
            "sad.u32 %d, %x0, %x1, 1;",
            [I32, ROTATED],
            signed([abs(int(a) - int(b)) + 1 for a, b in zip(U32, np.roll(U32, 3), strict=True)], 32),
        ),
        ("shl.b32 %d, %x0, %x1;", [I32, SHIFTS], shifted(I32, SHIFTS, True)),
        ("shr.s32 %d, %x0, %x1;", [I32, SHIFTS], shifted(I32, np.minimum(SHIFTS, 31), False)),
        ("shr.u32 %d, %x0, %x1;", [I32, SHIFTS], (U32.astype(np.uint64) >> SHIFTS.astype(np.uint64)).astype(np.uint32)),
        (
            "shf.l.wrap.b32 %d, %x0, %x1, 8;",
            [I32, ROTATED],
            signed([((int(b) << 32 | int(a)) << 8) >> 32 for a, b in zip(U32, np.roll(U32, 3), strict=True)], 32),
        ),
        ("shf.r.clamp.b32 %d, %x0, %x1, 40;", [I32, ROTATED], ROTATED),
        ("bfe.u32 %d, %x0, 4, 8;", [I32], (U32 >> np.uint32(4)) & np.uint32(255)),
        ("bfe.s32 %d, %x0, 4, 8;", [I32], ((I32 >> 4) << 24) >> 24),
        ("bfe.s32 %d, %x0, 28, 8;", [I32], I32 >> 28),
        ("bfe.u64 %d, %x0, 0, 64;", [I64], I64),
        (
            "bfi.b32 %d, %x0, %x1, 8, 4;",
            [I32, ROTATED],
            (ROTATED & ~np.int32(0xF00)) | (I32 & np.int32(15)) << np.int32(8),
        ),
        ("popc.b64 %d, %x0;", [I64], np.array([int(v).bit_count() for v in I64.view(np.uint64)], np.int32)),
        ("clz.b32 %d, %x0;", [I32], np.array([32 - int(v).bit_length() for v in U32], np.int32)),
        ("brev.b32 %d, %x0;", [I32], np.array([int(f"{int(v):032b}"[::-1], 2) for v in U32], np.uint32)),
        ("bfind.s32 %d, %x0;", [I32], np.array([(int(v) ^ (int(v) >> 31)).bit_length() - 1 for v in I32], np.int32)),
        (
            "prmt.b32 %d, %x0, %x1, 0x5140;",
            [I32, ROTATED],
            (U32 & 255)
            | (np.roll(U32, 3) & 255) << np.uint32(8)
            | (U32 >> np.uint32(8) & 255) << np.uint32(16)
            | (np.roll(U32, 3) >> np.uint32(8) & 255) << np.uint32(24),
        ),
        ("lop3.b32 %d, %x0, %x1, 255, (0xf0 & 0xcc) ^ 0xaa;", [I32, ROTATED], (I32 & ROTATED) ^ np.int32(255)),
        ("not.b64 %d, %x0;", [I64], ~I64),
        ("cnot.b32 %d, %x0;", [I32], (I32 == 0).astype(np.int32)),
        (
            "setp.lt.s32 %p|%q, %x0, 5; selp.b32 %d, 1, 2, %p; @%q add.s32 %d, %d, 8;",
            [I32],
            np.where(I32 < 5, 1, 10).astype(np.int32),
        ),
        ("set.lt.u32.f32 %d, %x0, %x1;", [F32, G32], -(F32 < G32).astype(np.int32)),
        ("setp.neu.f32 %p, %x0, %x1; selp.b32 %d, 1, 0, %p;", [F32, G32], (F32 != G32).astype(np.int32)),
        ("setp.ne.f32 %p, %x0, %x0; selp.b32 %d, 1, 0, %p;", [F32], np.zeros(8, np.int32)),
        ("add.rn.f32 %d, %x0, %x1;", [F32, G32], F32 + G32),
        ("mul.rn.ftz.f32 %d, %x0, 0f3F800000;", [F32], np.where(np.abs(F32) < 1e-38, 0 * F32, F32)),
        ("fma.rn.f32 %d, %x0, %x1, %x0;", [F32, G32], (F32.astype(float) * G32 + F32).astype(np.float32)),
        ("fma.rn.f64 %d, %x0, %x0, 1.0;", [F64], F64 * F64 + 1),
        ("add.f32.f16 %d, %x0, %x1;", [F16, F32], F16.astype(np.float32) + F32),
        ("sub.rn.f32.bf16 %d, %x0, %x1;", [BF16, F32], BF16.astype(np.float32) - F32),
        (
            "fma.rn.f32.bf16 %d, %x0, %x0, %x1;",
            [BF16, F32],
            (BF16.astype(float) ** 2 + F32.astype(float)).astype(np.float32),
        ),
        ("div.rn.f32 %d, %x0, %x1;", [F32, G32], F32 / G32),
        ("add.rz.f32 %d, 0f3F800000, 0f337FFFFF;", [F32], np.ones(8, np.float32)),
        ("add.rp.f32 %d, 0f3F800000, 0f00000001;", [F32], np.full(8, np.nextafter(np.float32(1), np.float32(2)))),
        ("min.f32 %d, %x0, %x1;", [F32, G32], np.array([0, -0.0, -3.25, -2.5, 1, -np.inf, 2, 1e-40], np.float32)),
        ("max.NaN.f32 %d, %x0, %x1;", [F32, G32], np.maximum(F32, G32)),
        ("abs.f64 %d, %x0;", [F64], np.abs(F64)),
        ("neg.f32 %d, %x0;", [F32], -F32),
        ("sqrt.rn.f64 %d, %x0;", [np.abs(F64)], np.sqrt(np.abs(F64))),
        ("copysign.f32 %d, %x1, %x0;", [F32, np.arange(1, 9, dtype=np.float32)], np.abs(F32)),
        ("ex2.approx.ftz.f32 %d, %x0;", [np.arange(8, dtype=np.float32)], 2.0 ** np.arange(8, dtype=np.float32)),
        ("add.f16 %d, %x0, %x0;", [F16], F16 + F16),
        (
            "fma.rn.bf16 %d, %x0, %x0, %x0;",
            [BF16],
            (BF16.astype(float) ** 2 + BF16.astype(float)).astype(ml_dtypes.bfloat16),
        ),
        ("cvt.f32.f16 %d, %x0;", [F16], F16.astype(np.float32)),
        ("cvt.rn.f16.f32 %d, %x0;", [G32], G32.astype(np.float16)),
        ("cvt.rn.bf16.f32 %d, %x0;", [F64.astype(np.float32)], F64.astype(np.float32).astype(ml_dtypes.bfloat16)),
        ("cvt.rz.f16.f32 %d, %x0;", [W32], truncated_f16(W32)),
        ("cvt.rz.bf16.f32 %d, 0f3F80FFFF;", [F32], np.ones(8, ml_dtypes.bfloat16)),
        (
            "cvt.rzi.s32.f32 %d, %x0;",
            [np.array([1.9, -1.9, 3e9, -3e9, np.nan, 0.5, -0.0, 7], np.float32)],
            np.array([1, -1, 2**31 - 1, -(2**31), 0, 0, 0, 7], np.int32),
        ),
        (
            "cvt.rni.s32.f32 %d, %x0;",
            [np.array([1.5, 2.5, -0.5, -1.5, 0, 3, 4, 5], np.float32)],
            np.array([2, 2, 0, -2, 0, 3, 4, 5], np.int32),
        ),
        ("cvt.rmi.f32.f32 %d, %x0;", [G32], np.floor(G32)),
        ("cvt.rn.f32.s64 %d, %x0;", [I64], I64.astype(np.float32)),
        ("cvt.rz.f32.s32 %d, 16777219;", [F32], np.full(8, 16777218, np.float32)),
        ("cvt.sat.s16.s32 %d, %x0;", [I32], np.clip(I32, -(2**15), 2**15 - 1).astype(np.int16)),
        ("cvt.s64.s32 %d, %x0;", [I32], I32.astype(np.int64)),
        ("cvt.u16.u64 %d, %x0;", [I64], I64.astype(np.uint16)),
        ("cvt.sat.f32.f32 %d, %x0;", [F32], np.array([0, 0, 1, 0, 1, 0, 0, 1e-40], np.float32)),
        (
            "cvt.rn.bf16x2.f32 %d, %x0, 0f3F800000;",
            [G32],
            G32.astype(ml_dtypes.bfloat16).view(np.uint16).astype(np.uint32) << np.uint32(16) | np.uint32(0x3F80),
        ),
        *(
            (
                f"cvt.rn.satfinite.{name}x2.f32 %d, %x0, 0f3F800000;",
                [W32],
                above_one(narrowed(W32, dtype), dtype, 8, np.uint16),
            )
            for name, dtype in NARROW.items()
        ),
        (
            "{ .reg .b8 %n; cvt.rn.satfinite.e2m1x2.f32 %n, %x0, 0f3F800000; cvt.u32.u8 %d, %n; }",
            [W32],
            above_one(narrowed(W32, ml_dtypes.float4_e2m1fn), ml_dtypes.float4_e2m1fn, 4, np.uint32),
        ),
        (
            "cvt.rn.satfinite.relu.e4m3x2.f16x2 %d, %x0;",
            [np.array([0xC0004000, 0x7BFFFBFF], np.uint32)],
            np.array([0x0040, 0x7E00], np.uint16),
        ),
        (
            "cvt.rn.f16x2.e5m2x2 %d, %x0;",
            [np.array([0x3CBC, 0x7B00], np.uint16)],
            np.array([0x3C00BC00, 0x7B000000], np.uint32),
        ),
        (
            "cvt.rp.satfinite.ue8m0x2.f32 %d, %x0, 0f40400000;",
            [np.array([1.0, 1.5, np.nan, 3e38], np.float32)],
            np.array([0x7F81, 0x8081, 0xFF81, 0xFE81], np.uint16),
        ),
        ("cvt.rn.bf16x2.ue8m0x2 %d, %x0;", [np.array([0x7F80], np.uint16)], np.array([0x3F804000], np.uint32)),
        ("cvt.rna.tf32.f32 %d, %x0;", [W32], rounded_tf32(W32)),
        ("cvt.rz.tf32.f32 %d, %x0;", [G32], G32.view(np.uint32) & np.uint32(0xFFFFE000)),
        (
            "add.cc.u32 %r0, %x0, %x1; addc.u32 %d, 5, 0;",
            [I32, ROTATED],
            ((U32.astype(np.uint64) + np.roll(U32, 3)) >> np.uint64(32)).astype(np.uint32) + np.uint32(5),
        ),
        (
            "sub.cc.u32 %r0, %x0, %x1; subc.u32 %d, 5, 0;",
            [I32, ROTATED],
            np.where(np.roll(U32, 3) > U32, 4, 5).astype(np.uint32),
        ),
        (
            "mad.lo.cc.u32 %r0, %x0, %x1, -1; madc.hi.u32 %d, %x0, %x1, 0;",
            [I32, ROTATED],
            signed((wide(U32, np.roll(U32, 3)) + 0xFFFFFFFF) // 2**32, 32),
        ),
        ("dp4a.s32.s32 %d, %x0, %x1, 5;", [I32, ROTATED], dot(I32, ROTATED, "i1", 5)),
        ("dp4a.u32.u32 %d, %x0, %x1, 5;", [I32, ROTATED], dot(I32, ROTATED, "u1", 5)),
        ("dp2a.lo.s32.s32 %d, %x0, %x1, 5;", [I32, ROTATED], dot(I32, ROTATED, "i2", 5)),
        ("dp2a.hi.s32.s32 %d, %x0, %x1, 5;", [I32, ROTATED], dot(I32, ROTATED >> np.int32(16), "i2", 5)),
        (
            "and.b32 %r0, %t, 3; min.u32 %r0, %r0, 2; WAYS: .branchtargets A, B, C; brx.idx %r0, WAYS; "
            "A: mov.b32 %d, 10; bra END; B: mov.b32 %d, 20; bra END; C: mov.b32 %d, 30; END:",
            [I32],
            np.tile(np.array([10, 20, 30, 30], np.int32), 2),
        ),
        (
            "mov.b32 %d, %x0; WAYS: .branchtargets A; brx.idx.uni 0, WAYS; A: bra.uni END; mov.b32 %d, 1; "
            "END: st.global.b32 [%out], %d; ret.uni; mov.b32 %d, 2;",
            [I32],
            I32,
        ),
        (
            "mov.b64 {%r0, %r1}, %x0; mov.b64 %d, {%r1, %r0};",
            [I64],
            (I64 << np.int64(32)) | (I64.view(np.uint64) >> np.uint64(32)).view(np.int64),
        ),
    ]

wrong = 0
for body, inputs, want in ROWS:
    got = run(body, inputs, want.dtype)
    both_nan = np.array([x != x and y != y for x, y in zip(got.tolist(), want.tolist(), strict=True)])
    if not np.all((to_bits(got) == to_bits(want)) | both_nan):
        wrong += 1
        print(f"{body}\n  got  {got}\n  want {want}")
# CHECK: 0 wrong
print(f"{wrong} wrong of {len(ROWS)}")
