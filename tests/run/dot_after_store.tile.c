// A product's operand may be read where it lies, but not behind a store that changes it.
// run: :changed X=new:f32[64] Out=new:f32[64] --grid 1 --out Out=out.npy
// run: :twice X=new:f32[64] Out=new:f32[64] --grid 1 --out Out=out.npy --out X=x.npy
// run: :under_a_condition X=new:f32[64] Out=new:f32[64] turns=1 --grid 1 --out Out=out.npy --out X=x.npy
static auto numbers()
{
    return cast(float, (expand_dims(arange(0, 8), 1) * 3 + expand_dims(arange(0, 8), 0)) % 5);
}
kernel void changed(float *X, float *Out)
{
    auto x = view(X, 8, 8);
    tile_store(x, 0, 0, numbers());
    float b = tile_load(x, 0, 0, 8, 8);
    tile_store(x, 0, 0, b + 1.0f);
    tile_store(view(Out, 8, 8), 0, 0, dot(numbers(), b));
}
kernel void twice(float *X, float *Out)
{
    auto x = view(X, 8, 8);
    tile_store(x, 0, 0, numbers());
    float b = tile_load(x, 0, 0, 8, 8);
    float first = dot(numbers(), b);
    tile_store(x, 0, 0, first);
    float c = tile_load(x, 0, 0, 8, 8);
    store(X + 9, 100.0f);
    tile_store(view(Out, 8, 8), 0, 0, dot(numbers(), c, first));
}
kernel void under_a_condition(float *X, float *Out, int turns)
{
    auto x = view(X, 8, 8);
    tile_store(x, 0, 0, numbers());
    float b = tile_load(x, 0, 0, 8, 8);
    if (turns > 0)
        store(X + 9, 100.0f);
    tile_store(view(Out, 8, 8), 0, 0, dot(numbers(), b));
}
---
run 1
Out f32[64]
30 28 31 24 17 30 28 31 32 44 21 28 45 32 44 21 34 30 26 42 28 34 30 26 16 21 36 36 41 16 21 36 28 47 36 50 29 28 47 36 30 28 31 24 17 30 28 31 32 44 21 28 45 32 44 21 34 30 26 42 28 34 30 26
run 2
Out f32[64]
390 487 429 556 458 390 487 429 540 679 483 532 606 540 679 483 490 526 472 598 574 490 526 472 440 488 516 534 402 440 488 516 640 710 530 700 620 640 710 530 390 487 429 556 458 390 487 429 540 679 483 532 606 540 679 483 490 526 472 598 574 490 526 472
X f32[64]
30 28 31 24 17 30 28 31 32 100 21 28 45 32 44 21 34 30 26 42 28 34 30 26 16 21 36 36 41 16 21 36 28 47 36 50 29 28 47 36 30 28 31 24 17 30 28 31 32 44 21 28 45 32 44 21 34 30 26 42 28 34 30 26
run 3
Out f32[64]
30 28 31 24 17 30 28 31 32 44 21 28 45 32 44 21 34 30 26 42 28 34 30 26 16 21 36 36 41 16 21 36 28 47 36 50 29 28 47 36 30 28 31 24 17 30 28 31 32 44 21 28 45 32 44 21 34 30 26 42 28 34 30 26
X f32[64]
0 1 2 3 4 0 1 2 3 100 0 1 2 3 4 0 1 2 3 4 0 1 2 3 4 0 1 2 3 4 0 1 2 3 4 0 1 2 3 4 0 1 2 3 4 0 1 2 3 4 0 1 2 3 4 0 1 2 3 4 0 1 2 3
