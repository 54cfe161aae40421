// A load stays behind an assert of its loop.
// args: --only fold,cse,licm
kernel void k(const float *restrict X, float *restrict Out, int place)
{
    float s = 0;
    for (int i = 0; i < 4; i++) {
        tile_assert(place < 4, "the place is in X");
        s += X[place];
    }
    store(Out, s);
}
---
func @k(%X: const restrict ptr<f32>, %Out: restrict ptr<f32>, %place: i32) {
  %place.1 = cast %place : i64
  %s = constant {0.0} : f32
  %0 = constant {0} : i64
  %1 = constant {4} : i64
  %2 = constant {1} : i64
  %3 = lt %place.1, %1 : bool
  %4 = addptr %X, %place.1 : ptr<f32>
  %s.1 = for %i = %0 to %1 step %2 carry (%s.2 = %s) : f32 {
    assert {"the place is in X"} %3
    %5 = load %4 : f32
    %s.3 = add %s.2, %5 : f32
    yield %s.3
  }
  store %Out, %s.1
  return
}
