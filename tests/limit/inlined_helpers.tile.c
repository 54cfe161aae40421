// Helpers are inlined: 2^20 calls are too much, and that shows soon.
static float f0(float x) { return x; }
static float f1(float x) { return f0(x) + f0(x + 1); }
static float f2(float x) { return f1(x) + f1(x + 1); }
static float f3(float x) { return f2(x) + f2(x + 1); }
static float f4(float x) { return f3(x) + f3(x + 1); }
static float f5(float x) { return f4(x) + f4(x + 1); }
static float f6(float x) { return f5(x) + f5(x + 1); }
static float f7(float x) { return f6(x) + f6(x + 1); }
static float f8(float x) { return f7(x) + f7(x + 1); }
static float f9(float x) { return f8(x) + f8(x + 1); }
static float f10(float x) { return f9(x) + f9(x + 1); }
static float f11(float x) { return f10(x) + f10(x + 1); }
static float f12(float x) { return f11(x) + f11(x + 1); }
static float f13(float x) { return f12(x) + f12(x + 1); }
static float f14(float x) { return f13(x) + f13(x + 1); }
static float f15(float x) { return f14(x) + f14(x + 1); }
static float f16(float x) { return f15(x) + f15(x + 1); }
static float f17(float x) { return f16(x) + f16(x + 1); }
static float f18(float x) { return f17(x) + f17(x + 1); }
static float f19(float x) { return f18(x) + f18(x + 1); }
static float f20(float x) { return f19(x) + f19(x + 1); }
kernel void k(float *Out, float x) { store(Out, f20(x)); }
---
inlined_helpers.tile.c:2:35: error: the kernel is too large
static float f0(float x) { return x; }
                                  ^
hint: helpers count once for each call, because they are inlined
