; The first level whose masks are all in what the processor reports: leaf 1 ecx, leaf 7 ebx and ecx,
; leaf 7.1 eax, leaf 0x80000001 ecx, and the registers that the system saves. Asking takes tens of
; microseconds in a virtual machine, so the answer is kept.

@tilec.chosen = internal global i32 -2

define internal { i32, i32, i32, i32 } @tilec.cpuid(i32 %leaf, i32 %part) {
  %max.leaf = and i32 %leaf, -2147483648
  %max = call { i32, i32, i32, i32 } asm "xchgq %rbx, ${1:q}\0Acpuid\0Axchgq %rbx, ${1:q}",
    "={ax},=&r,={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}"(i32 %max.leaf, i32 0)
  %last = extractvalue { i32, i32, i32, i32 } %max, 0
  %there = icmp uge i32 %last, %leaf
  br i1 %there, label %ask, label %none
ask:
  %r = call { i32, i32, i32, i32 } asm "xchgq %rbx, ${1:q}\0Acpuid\0Axchgq %rbx, ${1:q}",
    "={ax},=&r,={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}"(i32 %leaf, i32 %part)
  ret { i32, i32, i32, i32 } %r
none:
  ret { i32, i32, i32, i32 } zeroinitializer
}

; what there is, in the order of the masks
define internal void @tilec.features(ptr %has) {
  %one = call { i32, i32, i32, i32 } @tilec.cpuid(i32 1, i32 0)
  %one.c = extractvalue { i32, i32, i32, i32 } %one, 2
  store i32 %one.c, ptr %has
  %seven = call { i32, i32, i32, i32 } @tilec.cpuid(i32 7, i32 0)
  %seven.b = extractvalue { i32, i32, i32, i32 } %seven, 1
  %p1 = getelementptr i32, ptr %has, i64 1
  store i32 %seven.b, ptr %p1
  %seven.c = extractvalue { i32, i32, i32, i32 } %seven, 2
  %p2 = getelementptr i32, ptr %has, i64 2
  store i32 %seven.c, ptr %p2
  %parts = extractvalue { i32, i32, i32, i32 } %seven, 0
  %next = call { i32, i32, i32, i32 } @tilec.cpuid(i32 7, i32 1)
  %next.a = extractvalue { i32, i32, i32, i32 } %next, 0
  %has.next = icmp ne i32 %parts, 0
  %a = select i1 %has.next, i32 %next.a, i32 0
  %p3 = getelementptr i32, ptr %has, i64 3
  store i32 %a, ptr %p3
  %more = call { i32, i32, i32, i32 } @tilec.cpuid(i32 -2147483647, i32 0)
  %more.c = extractvalue { i32, i32, i32, i32 } %more, 2
  %p4 = getelementptr i32, ptr %has, i64 4
  store i32 %more.c, ptr %p4
  %p5 = getelementptr i32, ptr %has, i64 5
  store i32 0, ptr %p5
  %osxsave = and i32 %one.c, 134217728
  %saves = icmp ne i32 %osxsave, 0
  br i1 %saves, label %ask, label %done
ask:
  %x = call { i32, i32 } asm "xgetbv", "={ax},={dx},{cx}"(i32 0)
  %x.a = extractvalue { i32, i32 } %x, 0
  store i32 %x.a, ptr %p5
  br label %done
done:
  ret void
}

define internal i1 @tilec.covers(ptr %has, i32 %level) {
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %i.next, %next ]
  %more = icmp slt i32 %i, 6
  br i1 %more, label %next, label %yes
next:
  %p = getelementptr i32, ptr %has, i32 %i
  %bits = load i32, ptr %p
  %q = getelementptr [6 x i32], ptr @tilec.masks, i32 %level, i32 %i
  %mask = load i32, ptr %q
  %common = and i32 %bits, %mask
  %all = icmp eq i32 %common, %mask
  %i.next = add i32 %i, 1
  br i1 %all, label %loop, label %no
yes:
  ret i1 true
no:
  ret i1 false
}

define internal i32 @tilec.find_level() {
  %has = alloca [6 x i32]
  %before = load atomic i32, ptr @tilec.chosen monotonic, align 4
  %known = icmp ne i32 %before, -2
  br i1 %known, label %old, label %look
old:
  ret i32 %before
look:
  call void @tilec.features(ptr %has)
  br label %loop
loop:
  %i = phi i32 [ 0, %look ], [ %i.next, %next ]
  %more = icmp slt i32 %i, @LEVELS@
  br i1 %more, label %next, label %found
next:
  %fits = call i1 @tilec.covers(ptr %has, i32 %i)
  %i.next = add i32 %i, 1
  br i1 %fits, label %found, label %loop
found:
  %level = phi i32 [ -1, %loop ], [ %i, %next ]
  store atomic i32 %level, ptr @tilec.chosen monotonic, align 4
  ret i32 %level
}
