kernel void a(float *X, int n)
{
    for (int i = 0; i < n; i++);
    if (n > 0);
    if (n > 1) {
    } else;
    while (n < 0)
        ;
    if (n > 2) {}
    store(X, 1);
}
---
empty_body.tile.c:3:32: warning: 'for' has an empty body
    for (int i = 0; i < n; i++);
                               ^
hint: leave the ';' out; '{}' says that it is meant
empty_body.tile.c:4:15: warning: 'if' has an empty body
    if (n > 0);
              ^
hint: leave the ';' out; '{}' says that it is meant
empty_body.tile.c:6:11: warning: 'else' has an empty body
    } else;
          ^
hint: leave the ';' out; '{}' says that it is meant
func @a(%X: ptr<f32>, %n: i32) {
  %n.1 = cast %n : i64
  %0 = constant {0} : i64
  %1 = constant {1} : i64
  for %i = %0 to %n.1 step %1 {
    yield
  }
  %2 = constant {0} : i64
  %3 = gt %n.1, %2 : bool
  %4 = constant {1} : i64
  %5 = gt %n.1, %4 : bool
  while {
    %6 = constant {0} : i64
    %7 = lt %n.1, %6 : bool
    condition %7
  } do {
    yield
  }
  %8 = constant {2} : i64
  %9 = gt %n.1, %8 : bool
  %10 = constant {1.0} : f32
  store %X, %10
  return
}
