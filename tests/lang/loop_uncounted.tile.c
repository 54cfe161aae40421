// Loops that would be counted if their types were others: a note says so, unless all turns are known.
kernel void k(float *Out, int n, float limit, unsigned m)
{
    for (unsigned j = 0; j < m; j++)
        store(Out + j, 1);
    for (int j = 0; j < limit; j++)
        store(Out + j, 2);
    for (float x = 0; x < n; x++)
        store(Out, x);
    for (float x = 0; x < 1; x += 0.25f)
        store(Out, x);
}
---
loop_uncounted.tile.c:4:19: perf: this loop is not counted, but tests its condition in each turn: 'j' is unsigned
    for (unsigned j = 0; j < m; j++)
                  ^
hint: counter, bound and step of type int or long are counted
loop_uncounted.tile.c:6:14: perf: this loop is not counted, but tests its condition in each turn: what it counts with is floating
    for (int j = 0; j < limit; j++)
             ^
hint: counter, bound and step of type int or long are counted
loop_uncounted.tile.c:8:16: perf: this loop is not counted, but tests its condition in each turn: 'x' is floating
    for (float x = 0; x < n; x++)
               ^
hint: counter, bound and step of type int or long are counted
func @k(%Out: ptr<f32>, %n: i32, %limit: f32, %m: u32) {
  %n.1 = cast %n : i64
  %j = constant {0} : u32
  %j.1 = while carry (%j.2 = %j) : u32 {
    %0 = lt %j.2, %m : bool
    condition %0, %j.2
  } do (%j.3) {
    %1 = cast %j.3 : i64
    %2 = addptr %Out, %1 : ptr<f32>
    %3 = constant {1.0} : f32
    store %2, %3
    %4 = constant {1} : u32
    %j.4 = add %j.3, %4 : u32
    yield %j.4
  }
  %j.5 = constant {0} : i32
  %j.6 = while carry (%j.7 = %j.5) : i32 {
    %5 = cast %j.7 : f32
    %6 = lt %5, %limit : bool
    condition %6, %j.7
  } do (%j.8) {
    %7 = cast %j.8 : i64
    %8 = addptr %Out, %7 : ptr<f32>
    %9 = constant {2.0} : f32
    store %8, %9
    %10 = constant {1} : i32
    %j.9 = add %j.8, %10 : i32
    yield %j.9
  }
  %x = constant {0.0} : f32
  %x.1 = while carry (%x.2 = %x) : f32 {
    %11 = cast %n.1 : f32
    %12 = lt %x.2, %11 : bool
    condition %12, %x.2
  } do (%x.3) {
    store %Out, %x.3
    %13 = constant {1.0} : f32
    %x.4 = add %x.3, %13 : f32
    yield %x.4
  }
  %x.5 = constant {0.0} : f32
  %14 = constant {0} : i64
  %15 = constant {4} : i64
  %16 = constant {1} : i64
  %x.6 = for %17 = %14 to %15 step %16 carry (%x.7 = %x.5) : f32 {
    store %Out, %x.7
    %18 = constant {0.25} : f32
    %x.8 = add %x.7, %18 : f32
    yield %x.8
  }
  return
}
