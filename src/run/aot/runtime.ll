; The runtime part of ahead-of-time objects; see run/aot.h.
;
; It is what launch_check.c, cpu_kernel.c and threads.c are for kernels compiled at run time, for
; callers that have neither tilec nor LLVM. Numbers that are returned are those of tilec_status. It is IR because
; nothing on a user's machine could compile C. aot_wrapper.c puts numbers in place of @COUNT@
; (parameters) and @LEVELS@, and defines %tilec.words and the tables.
;
;   %tilec.parameter  name, kind (0 scalar, 1 buffer), type, is_const, is_restrict, is_fixed and
;                     its bits: see the header
;   %tilec.level      grid, require, needs (or null), the four variants, bytes of scratch
;   %tilec.argument   data, bits, shape, type, rank: struct tilec_aot_argument
;   %tilec.parallel   run, user: struct tilec_aot_parallel
;   %tilec.state      of one launch: failed and print (struct cpu_hooks), code, values, grid,
;                     bytes of scratch, status, programs, how many of them were asked for

%tilec.parameter = type { ptr, i32, i32, i32, i32, i32, i64 }
%tilec.level = type { ptr, ptr, ptr, [4 x ptr], i64 }
%tilec.argument = type { ptr, i64, ptr, i32, i32 }
%tilec.parallel = type { ptr, ptr }
%tilec.state = type { ptr, ptr, ptr, ptr, ptr, i64, i32, i64, i64 }

declare ptr @malloc(i64)
declare void @free(ptr)
declare { i64, i1 } @llvm.umul.with.overflow.i64(i64, i64)

; bytes of an element, by type
@tilec.bytes = internal constant [13 x i64] [i64 1, i64 1, i64 2, i64 4, i64 8, i64 1,
  i64 2, i64 4, i64 8, i64 2, i64 2, i64 4, i64 8]

; ---- hooks of the code ----
define internal void @tilec.failed(ptr %state, ptr %text, i64 %id) {
  %status = getelementptr %tilec.state, ptr %state, i64 0, i32 6
  store atomic i32 10, ptr %status monotonic, align 4
  ret void
}
define internal void @tilec.print(ptr, ptr, i64, i32, i32, ptr, ptr) {
  ret void
}

; ---- one range of programs: the body of the parallel loop ----
define internal void @tilec.body(ptr %state, i64 %begin, i64 %end) {
  %local = alloca [16384 x i8], align 64
  %p.programs = getelementptr %tilec.state, ptr %state, i64 0, i32 7
  %programs = load i64, ptr %p.programs
  %after = icmp sge i64 %begin, 0
  %ordered = icmp sle i64 %begin, %end
  %inside = icmp sle i64 %end, %programs
  %first.part = and i1 %after, %ordered
  %range = and i1 %first.part, %inside
  br i1 %range, label %set.up, label %bad.range
bad.range:
  %p.invalid = getelementptr %tilec.state, ptr %state, i64 0, i32 6
  store atomic i32 2, ptr %p.invalid monotonic, align 4
  ret void
set.up:
  %length = sub i64 %end, %begin
  %p.asked = getelementptr %tilec.state, ptr %state, i64 0, i32 8
  %asked = atomicrmw add ptr %p.asked, i64 %length monotonic, align 8
  %p.code = getelementptr %tilec.state, ptr %state, i64 0, i32 2
  %code = load ptr, ptr %p.code
  %p.values = getelementptr %tilec.state, ptr %state, i64 0, i32 3
  %values = load ptr, ptr %p.values
  %p.grid = getelementptr %tilec.state, ptr %state, i64 0, i32 4
  %grid = load ptr, ptr %p.grid
  %p.scratch = getelementptr %tilec.state, ptr %state, i64 0, i32 5
  %scratch = load i64, ptr %p.scratch
  %bytes = add i64 %scratch, 128
  %large = icmp ugt i64 %bytes, 16384
  br i1 %large, label %allocate, label %run
allocate:
  %heap = call ptr @malloc(i64 %bytes)
  %none = icmp eq ptr %heap, null
  br i1 %none, label %no_memory, label %run
no_memory:
  %p.status = getelementptr %tilec.state, ptr %state, i64 0, i32 6
  store atomic i32 1, ptr %p.status monotonic, align 4
  ret void
run:
  %memory = phi ptr [ %local, %set.up ], [ %heap, %allocate ]
  %address = ptrtoint ptr %memory to i64
  %behind = add i64 %address, 71
  %aligned = and i64 %behind, -64
  %block = inttoptr i64 %aligned to ptr
  %front = getelementptr i8, ptr %block, i64 -8
  store ptr %state, ptr %front
  call void %code(ptr %values, ptr %grid, i64 %begin, i64 %end, ptr %block)
  br i1 %large, label %release, label %done
release:
  call void @free(ptr %memory)
  br label %done
done:
  ret void
}

; ---- tables ----
define internal i32 @tilec.field(i64 %index, i32 %field) {
  %p = getelementptr %tilec.parameter, ptr @tilec.parameters, i64 %index, i32 1
  %q = getelementptr i32, ptr %p, i32 %field
  %value = load i32, ptr %q
  ret i32 %value
}
define internal i64 @tilec.size(i64 %index) {
  %type = call i32 @tilec.field(i64 %index, i32 1)
  %p = getelementptr i64, ptr @tilec.bytes, i32 %type
  %bytes = load i64, ptr %p
  ret i64 %bytes
}

; ---- buffers: sizes, overlap, length of the output ----
; what each buffer must have at least, as far as that is known before the kernel
; runs (plan/bounds.c); false: nothing is known
define internal i1 @tilec.least(ptr %level, ptr %inputs, ptr %elements) {
  %needed = alloca %tilec.words
  %p.needs = getelementptr %tilec.level, ptr %level, i64 0, i32 2
  %needs = load ptr, ptr %p.needs
  %unknown = icmp eq ptr %needs, null
  br i1 %unknown, label %nothing, label %ask
ask:
  call void %needs(ptr %inputs, ptr %needed)
  br label %loop
loop:
  %i = phi i64 [ 0, %ask ], [ %i.next, %next ]
  %k = phi i64 [ 0, %ask ], [ %k.next, %next ]
  %more = icmp slt i64 %i, @COUNT@
  br i1 %more, label %one, label %done
one:
  %kind = call i32 @tilec.field(i64 %i, i32 0)
  %buffer = icmp eq i32 %kind, 1
  br i1 %buffer, label %copy, label %next
copy:
  %p.wants = getelementptr i64, ptr %needed, i64 %k
  %wants = load i64, ptr %p.wants
  %p.element = getelementptr i64, ptr %elements, i64 %i
  store i64 %wants, ptr %p.element
  br label %next
next:
  %one.more = phi i64 [ 0, %one ], [ 1, %copy ]
  %k.next = add i64 %k, %one.more
  %i.next = add i64 %i, 1
  br label %loop
done:
  ret i1 true
nothing:
  ret i1 false
}

define internal i32 @tilec.sizes(ptr %level, ptr %inputs, ptr %elements) {
  %least = alloca %tilec.words
  %known = call i1 @tilec.least(ptr %level, ptr %inputs, ptr %least)
  br i1 %known, label %loop, label %fine
loop:
  %i = phi i64 [ 0, %0 ], [ %i.next, %next ]
  %more = icmp slt i64 %i, @COUNT@
  br i1 %more, label %one, label %fine
one:
  %kind = call i32 @tilec.field(i64 %i, i32 0)
  %buffer = icmp eq i32 %kind, 1
  br i1 %buffer, label %compare, label %next
compare:
  %p.has = getelementptr i64, ptr %elements, i64 %i
  %has = load i64, ptr %p.has
  %p.wants = getelementptr i64, ptr %least, i64 %i
  %wants = load i64, ptr %p.wants
  %small = icmp slt i64 %has, %wants
  br i1 %small, label %wrong, label %next
next:
  %i.next = add i64 %i, 1
  br label %loop
fine:
  ret i32 0
wrong:
  ret i32 8
}

; whether buffers a and b, one of them written, share memory
define internal i1 @tilec.overlap(ptr %values, ptr %elements, i64 %a, i64 %b) {
  %kind.a = call i32 @tilec.field(i64 %a, i32 0)
  %kind.b = call i32 @tilec.field(i64 %b, i32 0)
  %buffers = and i32 %kind.a, %kind.b
  %const.a = call i32 @tilec.field(i64 %a, i32 2)
  %const.b = call i32 @tilec.field(i64 %b, i32 2)
  %const = and i32 %const.a, %const.b
  %written = xor i32 %const, 1
  %matters = and i32 %buffers, %written
  %skip = icmp eq i32 %matters, 0
  br i1 %skip, label %no, label %compare
compare:
  %p.begin.a = getelementptr i64, ptr %values, i64 %a
  %begin.a = load i64, ptr %p.begin.a
  %p.count.a = getelementptr i64, ptr %elements, i64 %a
  %count.a = load i64, ptr %p.count.a
  %size.a = call i64 @tilec.size(i64 %a)
  %length.a = mul i64 %count.a, %size.a
  %end.a = add i64 %begin.a, %length.a
  %p.begin.b = getelementptr i64, ptr %values, i64 %b
  %begin.b = load i64, ptr %p.begin.b
  %p.count.b = getelementptr i64, ptr %elements, i64 %b
  %count.b = load i64, ptr %p.count.b
  %size.b = call i64 @tilec.size(i64 %b)
  %length.b = mul i64 %count.b, %size.b
  %end.b = add i64 %begin.b, %length.b
  %below = icmp ult i64 %begin.a, %end.b
  %above = icmp ult i64 %begin.b, %end.a
  %both = and i1 %below, %above
  %some.a = icmp ne i64 %count.a, 0
  %some.b = icmp ne i64 %count.b, 0
  %some = and i1 %some.a, %some.b
  %shared = and i1 %both, %some
  ret i1 %shared
no:
  ret i1 false
}

; 1: no buffers overlap, or with least 1: none that is restrict does
define internal i32 @tilec.disjoint(ptr %values, ptr %elements, i32 %least) {
  br label %outer
outer:
  %a = phi i64 [ 0, %0 ], [ %a.next, %outer.next ]
  %more.a = icmp slt i64 %a, @COUNT@
  br i1 %more.a, label %inner, label %yes
inner:
  %b = phi i64 [ 0, %outer ], [ %b.next, %inner.next ]
  %more.b = icmp slt i64 %b, %a
  br i1 %more.b, label %compare, label %outer.next
compare:
  %restrict.a = call i32 @tilec.field(i64 %a, i32 3)
  %restrict.b = call i32 @tilec.field(i64 %b, i32 3)
  %restrict = or i32 %restrict.a, %restrict.b
  %counts = icmp uge i32 %restrict, %least
  %shared = call i1 @tilec.overlap(ptr %values, ptr %elements, i64 %a, i64 %b)
  %against = and i1 %counts, %shared
  br i1 %against, label %no, label %inner.next
inner.next:
  %b.next = add i64 %b, 1
  br label %inner
outer.next:
  %a.next = add i64 %a, 1
  br label %outer
yes:
  ret i32 1
no:
  ret i32 0
}

; 2: the buffers that may be written are so long that stores should pass by the caches
define internal i32 @tilec.long(ptr %elements) {
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %i.next, %next ]
  %sum = phi i64 [ 0, %0 ], [ %sum.next, %next ]
  %more = icmp slt i64 %i, @COUNT@
  br i1 %more, label %one, label %done
one:
  %kind = call i32 @tilec.field(i64 %i, i32 0)
  %const = call i32 @tilec.field(i64 %i, i32 2)
  %ne = xor i32 %const, 1
  %output = and i32 %kind, %ne
  %written = icmp ne i32 %output, 0
  br i1 %written, label %add, label %next
add:
  %p = getelementptr i64, ptr %elements, i64 %i
  %count = load i64, ptr %p
  %size = call i64 @tilec.size(i64 %i)
  %enough = icmp sgt i64 %count, 16777216
  %capped = select i1 %enough, i64 16777216, i64 %count
  %length = mul i64 %capped, %size
  br label %next
next:
  %grown = phi i64 [ 0, %one ], [ %length, %add ]
  %sum.next = add i64 %sum, %grown
  %i.next = add i64 %i, 1
  br label %loop
done:
  %long = icmp uge i64 %sum, 16777216
  %bit = select i1 %long, i32 2, i32 0
  ret i32 %bit
}

; ---- grid ----
; fills grid and total; 0 or a status
define internal i32 @tilec.grid(ptr %level, ptr %inputs, ptr %given, ptr %grid, ptr %total) {
  %own = icmp eq ptr %given, null
  br i1 %own, label %ask, label %copy
copy:
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %grid, ptr align 8 %given, i64 24, i1 false)
  br label %check
ask:
  %p.host = getelementptr %tilec.level, ptr %level, i64 0, i32 0
  %host = load ptr, ptr %p.host
  %missing = icmp eq ptr %host, null
  br i1 %missing, label %wrong, label %compute
compute:
  call void %host(ptr %inputs, ptr %grid)
  br label %check
check:
  %x = load i64, ptr %grid
  %p.y = getelementptr i64, ptr %grid, i64 1
  %y = load i64, ptr %p.y
  %p.z = getelementptr i64, ptr %grid, i64 2
  %z = load i64, ptr %p.z
  %xy = or i64 %x, %y
  %xyz = or i64 %xy, %z
  %negative = icmp slt i64 %xyz, 0
  br i1 %negative, label %wrong, label %multiply
multiply:
  %first = call { i64, i1 } @llvm.umul.with.overflow.i64(i64 %x, i64 %y)
  %area = extractvalue { i64, i1 } %first, 0
  %over.1 = extractvalue { i64, i1 } %first, 1
  %second = call { i64, i1 } @llvm.umul.with.overflow.i64(i64 %area, i64 %z)
  %volume = extractvalue { i64, i1 } %second, 0
  %over.2 = extractvalue { i64, i1 } %second, 1
  %over = or i1 %over.1, %over.2
  %many = icmp ugt i64 %volume, 4294967296
  %huge = or i1 %over, %many
  %no.x = icmp eq i64 %x, 0
  %no.y = icmp eq i64 %y, 0
  %no.z = icmp eq i64 %z, 0
  %no.xy = or i1 %no.x, %no.y
  %empty = or i1 %no.xy, %no.z
  %count = select i1 %empty, i64 0, i64 %volume
  store i64 %count, ptr %total
  %full = xor i1 %empty, true
  %refused = and i1 %huge, %full
  br i1 %refused, label %wrong, label %fine
fine:
  ret i32 0
wrong:
  ret i32 9
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

; ---- launch ----
; collects the scalars; returns how many
define internal i64 @tilec.scalars(ptr %values, ptr %inputs) {
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %i.next, %next ]
  %n = phi i64 [ 0, %0 ], [ %n.next, %next ]
  %more = icmp slt i64 %i, @COUNT@
  br i1 %more, label %one, label %done
one:
  %kind = call i32 @tilec.field(i64 %i, i32 0)
  %scalar = icmp eq i32 %kind, 0
  br i1 %scalar, label %copy, label %next
copy:
  %p = getelementptr i64, ptr %values, i64 %i
  %value = load i64, ptr %p
  %q = getelementptr i64, ptr %inputs, i64 %n
  store i64 %value, ptr %q
  br label %next
next:
  %step = phi i64 [ 0, %one ], [ 1, %copy ]
  %n.next = add i64 %n, %step
  %i.next = add i64 %i, 1
  br label %loop
done:
  ret i64 %n
}

; elements may be null: lengths are not known, but at least what the kernel needs
define internal i32 @tilec.launch(ptr %values, ptr %elements, ptr %given, ptr %parallel) {
  %inputs = alloca %tilec.words
  %grid = alloca [3 x i64]
  %total = alloca i64
  %state = alloca %tilec.state
  %least = alloca %tilec.words
  %index = call i32 @tilec.find_level()
  %no.level = icmp slt i32 %index, 0
  br i1 %no.level, label %wrong.cpu, label %start
start:
  %as.fixed = call i1 @tilec.as_fixed(ptr %values)
  br i1 %as.fixed, label %scalars.fine, label %wrong.argument
scalars.fine:
  %level = getelementptr %tilec.level, ptr @tilec.levels, i32 %index
  %scalars = call i64 @tilec.scalars(ptr %values, ptr %inputs)
  %bad.grid = call i32 @tilec.grid(ptr %level, ptr %inputs, ptr %given, ptr %grid, ptr %total)
  %is.bad.grid = icmp ne i32 %bad.grid, 0
  br i1 %is.bad.grid, label %wrong.grid, label %require
require:
  %p.require = getelementptr %tilec.level, ptr %level, i64 0, i32 1
  %requirement = load ptr, ptr %p.require
  %unconditional = icmp eq ptr %requirement, null
  br i1 %unconditional, label %count, label %ask
ask:
  %unmet = call i32 %requirement(ptr %inputs)
  %met = icmp slt i32 %unmet, 0
  br i1 %met, label %count, label %wrong.requirement
count:
  %programs = load i64, ptr %total
  %nothing = icmp eq i64 %programs, 0
  br i1 %nothing, label %fine, label %inspect
inspect:
  %p.grid.inputs = getelementptr i64, ptr %inputs, i64 %scalars
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %p.grid.inputs, ptr align 8 %grid, i64 24,
    i1 false)
  %unknown = icmp eq ptr %elements, null
  br i1 %unknown, label %differ, label %sizes
differ:
  %p.short.code = getelementptr %tilec.level, ptr %level, i64 0, i32 3, i32 0
  %short.code = load ptr, ptr %p.short.code
  %p.long.code = getelementptr %tilec.level, ptr %level, i64 0, i32 3, i32 2
  %long.code = load ptr, ptr %p.long.code
  %same = icmp eq ptr %short.code, %long.code
  br i1 %same, label %prepare, label %guess
guess:
  %known = call i1 @tilec.least(ptr %level, ptr %inputs, ptr %least)
  br i1 %known, label %estimate, label %prepare
estimate:
  %long.at.least = call i32 @tilec.long(ptr %least)
  br label %prepare
sizes:
  %small = call i32 @tilec.sizes(ptr %level, ptr %inputs, ptr %elements)
  %is.small = icmp ne i32 %small, 0
  br i1 %is.small, label %wrong.argument, label %choose
choose:
  %disjoint = call i32 @tilec.disjoint(ptr %values, ptr %elements, i32 0)
  %long = call i32 @tilec.long(ptr %elements)
  %chosen = or i32 %disjoint, %long
  br label %prepare
prepare:
  %variant = phi i32 [ 0, %differ ], [ 0, %guess ], [ %long.at.least, %estimate ], [ %chosen, %choose ]
  %p.code = getelementptr %tilec.level, ptr %level, i64 0, i32 3, i32 %variant
  %code = load ptr, ptr %p.code
  %p.scratch = getelementptr %tilec.level, ptr %level, i64 0, i32 4
  %scratch = load i64, ptr %p.scratch
  store ptr @tilec.failed, ptr %state
  %s.print = getelementptr %tilec.state, ptr %state, i64 0, i32 1
  store ptr @tilec.print, ptr %s.print
  %s.code = getelementptr %tilec.state, ptr %state, i64 0, i32 2
  store ptr %code, ptr %s.code
  %s.values = getelementptr %tilec.state, ptr %state, i64 0, i32 3
  store ptr %values, ptr %s.values
  %s.grid = getelementptr %tilec.state, ptr %state, i64 0, i32 4
  store ptr %grid, ptr %s.grid
  %s.scratch = getelementptr %tilec.state, ptr %state, i64 0, i32 5
  store i64 %scratch, ptr %s.scratch
  %s.status = getelementptr %tilec.state, ptr %state, i64 0, i32 6
  store atomic i32 0, ptr %s.status monotonic, align 4
  %s.programs = getelementptr %tilec.state, ptr %state, i64 0, i32 7
  store i64 %programs, ptr %s.programs
  %s.asked = getelementptr %tilec.state, ptr %state, i64 0, i32 8
  store atomic i64 0, ptr %s.asked monotonic, align 8
  %alone = icmp eq ptr %parallel, null
  %single = icmp eq i64 %programs, 1
  %serial = or i1 %alone, %single
  br i1 %serial, label %run, label %spread
run:
  call void @tilec.body(ptr %state, i64 0, i64 %programs)
  br label %done
spread:
  %p.user = getelementptr %tilec.parallel, ptr %parallel, i64 0, i32 1
  %user = load ptr, ptr %p.user
  %runner = load ptr, ptr %parallel
  %no.runner = icmp eq ptr %runner, null
  br i1 %no.runner, label %run, label %share
share:
  call void %runner(ptr %user, i64 %programs, ptr @tilec.body, ptr %state)
  br label %done
done:
  %status = load atomic i32, ptr %s.status monotonic, align 4
  %asked = load atomic i64, ptr %s.asked monotonic, align 8
  %whole = icmp eq i64 %asked, %programs
  %good = icmp eq i32 %status, 0
  %broken = select i1 %whole, i32 0, i32 2
  %result = select i1 %good, i32 %broken, i32 %status
  ret i32 %result
fine:
  ret i32 0
wrong.cpu:
  ret i32 7
wrong.grid:
  ret i32 9
wrong.requirement:
  ret i32 6
wrong.argument:
  ret i32 8
}

; ---- described arguments ----
; elements of an argument's shape; -1: the shape is wrong
define internal i64 @tilec.elements(ptr %argument) {
  %p.shape = getelementptr %tilec.argument, ptr %argument, i64 0, i32 2
  %shape = load ptr, ptr %p.shape
  %p.rank = getelementptr %tilec.argument, ptr %argument, i64 0, i32 4
  %rank = load i32, ptr %p.rank
  %rank.fits = icmp ult i32 %rank, 9
  br i1 %rank.fits, label %look, label %wrong
look:
  %flat = icmp eq i32 %rank, 0
  %shapeless = icmp eq ptr %shape, null
  br i1 %flat, label %loop, label %has_shape
has_shape:
  br i1 %shapeless, label %wrong, label %loop
loop:
  %i = phi i32 [ 0, %look ], [ 0, %has_shape ], [ %i.next, %next ]
  %product = phi i64 [ 1, %look ], [ 1, %has_shape ], [ %grown, %next ]
  %more = icmp slt i32 %i, %rank
  br i1 %more, label %one, label %done
one:
  %p = getelementptr i64, ptr %shape, i32 %i
  %size = load i64, ptr %p
  %negative = icmp slt i64 %size, 0
  br i1 %negative, label %wrong, label %multiply
multiply:
  %pair = call { i64, i1 } @llvm.umul.with.overflow.i64(i64 %product, i64 %size)
  %times = extractvalue { i64, i1 } %pair, 0
  %over = extractvalue { i64, i1 } %pair, 1
  %grown = select i1 %over, i64 -1, i64 %times
; stays too large, unless a 0 follows
  br label %next
next:
  %i.next = add i32 %i, 1
  br label %loop
done:
  %large = icmp ugt i64 %product, 1152921504606846975
  br i1 %large, label %wrong, label %fine
fine:
  ret i64 %product
wrong:
  ret i64 -1
}

; one buffer: 0 or a status; its address and length are stored
define internal i32 @tilec.buffer(ptr %argument, i64 %i, ptr %values, ptr %elements) {
  %count = call i64 @tilec.elements(ptr %argument)
  %bad.shape = icmp slt i64 %count, 0
  %data = load i64, ptr %argument
  %null = icmp eq i64 %data, 0
  %some = icmp ne i64 %count, 0
  %bad.null = and i1 %null, %some
  %size = call i64 @tilec.size(i64 %i)
  %mask = sub i64 %size, 1
  %rest = and i64 %data, %mask
  %unaligned = icmp ne i64 %rest, 0
  %bad.1 = or i1 %bad.shape, %bad.null
  %bad = or i1 %bad.1, %unaligned
  br i1 %bad, label %wrong, label %store
store:
  %p.value = getelementptr i64, ptr %values, i64 %i
  store i64 %data, ptr %p.value
  %p.count = getelementptr i64, ptr %elements, i64 %i
  store i64 %count, ptr %p.count
  ret i32 0
wrong:
  ret i32 8
}

; a scalar's bits, without what lies beyond its type
define internal void @tilec.scalar(ptr %argument, i64 %i, ptr %values) {
  %p.bits = getelementptr %tilec.argument, ptr %argument, i64 0, i32 1
  %bits = load i64, ptr %p.bits
  %size = call i64 @tilec.size(i64 %i)
  %width = mul i64 %size, 8
  %spare = sub i64 64, %width
  %up = shl i64 %bits, %spare
  %down = lshr i64 %up, %spare
  %type = call i32 @tilec.field(i64 %i, i32 1)
  %is.bool = icmp eq i32 %type, 0
  %true = icmp ne i64 %bits, 0
  %bool = zext i1 %true to i64
  %value = select i1 %is.bool, i64 %bool, i64 %down
  %p = getelementptr i64, ptr %values, i64 %i
  store i64 %value, ptr %p
  ret void
}

define internal i32 @tilec.call(ptr %arguments, i32 %count, ptr %grid, ptr %parallel) {
  %values = alloca %tilec.words
  %elements = alloca %tilec.words
  %given = sext i32 %count to i64
  %counted = icmp eq i64 %given, @COUNT@
  %there = icmp ne ptr %arguments, null
  %right = and i1 %counted, %there
  br i1 %right, label %loop, label %wrong
loop:
  %i = phi i64 [ 0, %0 ], [ %i.next, %next ]
  %more = icmp slt i64 %i, @COUNT@
  br i1 %more, label %one, label %launch
one:
  %argument = getelementptr %tilec.argument, ptr %arguments, i64 %i
  %p.type = getelementptr %tilec.argument, ptr %argument, i64 0, i32 3
  %type = load i32, ptr %p.type
  %wanted = call i32 @tilec.field(i64 %i, i32 1)
  %same = icmp eq i32 %type, %wanted
  br i1 %same, label %typed, label %wrong
typed:
  %kind = call i32 @tilec.field(i64 %i, i32 0)
  %scalar = icmp eq i32 %kind, 0
  br i1 %scalar, label %take, label %check
take:
  call void @tilec.scalar(ptr %argument, i64 %i, ptr %values)
  br label %next
check:
  %bad = call i32 @tilec.buffer(ptr %argument, i64 %i, ptr %values, ptr %elements)
  %is.bad = icmp ne i32 %bad, 0
  br i1 %is.bad, label %wrong, label %next
next:
  %i.next = add i64 %i, 1
  br label %loop
launch:
  %apart = call i32 @tilec.disjoint(ptr %values, ptr %elements, i32 1)
  %is.apart = icmp ne i32 %apart, 0
  br i1 %is.apart, label %go, label %wrong
go:
  %status = call i32 @tilec.launch(ptr %values, ptr %elements, ptr %grid, ptr %parallel)
  ret i32 %status
wrong:
  ret i32 8
}
