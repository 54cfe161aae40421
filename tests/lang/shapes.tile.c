// Making and changing shapes.
kernel void k(float *Out)
{
    float x = full(float, 2, 2, 3);
    float y = zeros(float, 6);
    float z = trans(x) + reshape(y, 3, 2);
    float j = join(y, 1.0f);
    float e = split(j, 1);
    int g = gather(arange(0, 6), 5 - arange(0, 6));
    float w = broadcast_to(expand_dims(e, 0, 2), 2, 6, 3);
    float p = trans(w, 2, 0, 1);
    store(Out + g, e);
    store(Out + arange(0, 36), reshape(p, 36));
    store(Out + expand_dims(1, 0), sum(z));
}
---
func @k(%Out: ptr<f32>) {
  %x = constant {2.0} : f32[2, 3]
  %y = constant {0.0} : f32[6]
  %0 = trans {1 0} %x : f32[3, 2]
  %1 = reshape %y : f32[3, 2]
  %z = add %0, %1 : f32[3, 2]
  %2 = constant {1.0} : f32[6]
  %j = join %y, %2 : f32[6, 2]
  %3, %e = split %j : (f32[6], f32[6])
  %4 = arange {0 to 6} : i64[6]
  %5 = arange {0 to 6} : i64[6]
  %6 = constant {5} : i64[6]
  %7 = sub %6, %5 : i64[6]
  %g = gather {axis 0} %4, %7 : i64[6]
  %8 = reshape %e : f32[1, 6, 1]
  %w = broadcast %8 : f32[2, 6, 3]
  %p = trans {2 0 1} %w : f32[3, 2, 6]
  %9 = broadcast %Out : ptr<f32>[6]
  %10 = addptr %9, %g : ptr<f32>[6]
  store %10, %e
  %11 = arange {0 to 36} : i64[36]
  %12 = broadcast %Out : ptr<f32>[36]
  %13 = addptr %12, %11 : ptr<f32>[36]
  %14 = reshape %p : f32[36]
  store %13, %14
  %15 = constant {1} : i32
  %16 = reshape %15 : i32[1]
  %17 = cast %16 : i64[1]
  %18 = broadcast %Out : ptr<f32>[1]
  %19 = addptr %18, %17 : ptr<f32>[1]
  %20 = sum {axis -1} %z : f32
  %21 = broadcast %20 : f32[1]
  store %19, %21
  return
}
