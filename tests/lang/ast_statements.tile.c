// Statements, as the tree shows them.
// args: --stage ast
static auto helper(auto x, view_t v, layout_t L);
static inline const float *row(const float *restrict X, const int n)
{
    return X + n;
}
static void nothing(void)
{
    return;
}
kernel void k(const float *restrict X, float *Out, size_t n, constexpr int BLOCK)
{
    const float *p = X, *q = X + 1;
    float const a = 1, b;
    constexpr int HALF = BLOCK / 2;
    auto c = a;
    for (int i = 0; i < 10; i++)
        for (long j = 10; 0 <= j; j -= 2)
            ;
    for (auto i = 0; 5 >= i; i = i + HALF) {
        if (i > 2)
            break;
        else if (i)
            continue;
        else {
            b = 1;
        }
    }
    while (b < 3)
        b++;
    static_assert(BLOCK > 1, "too small");
    return;
}
---
static const f32* row(const f32* restrict X, const i32 n)
  return (X + n)
static void nothing()
  return
kernel void k(const f32* restrict X, f32* Out, u64 n, constexpr i32 BLOCK)
  declare const f32* p = X, const f32* q = (X + 1:i32)
  declare const f32 a = 1:i32, const f32 b
  declare constexpr i32 HALF = (BLOCK / 2:i32)
  declare auto c = a
  for i32 i = 0:i32 while < 10:i32 step 1
    for i64 j = 10:i32 while >= 0:i32 step -2:i32
      empty
  for auto i = 0:i32 while <= 5:i32 step HALF
    block
      if (i > 2:i32)
        break
      else
        if i
          continue
        else
          block
            (b = 1:i32)
  while (b < 3:i32)
    (b++)
  static_require((BLOCK > 1:i32), "too small")
  return
