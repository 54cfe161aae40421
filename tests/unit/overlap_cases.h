/* The cases of test_overlap.c: a name, arrays by type and byte of the block, scalars, the kernel. */
{"carried pointers of two types",
 {{TILEC_I32, 0}, {TILEC_I16, 0}},
 {3},
 1,
 "#include <tilec/kernel.h>\n"
 "launch_grid(k, 1);\n"
 "kernel void k(int *A, short *B, int n)\n"
 "{\n"
 "    auto p = A;\n"
 "    auto q = B;\n"
 "    for (int t = 0; t < n; t++) {\n"
 "        store(p + arange(0, 64), cast(int, load(q + arange(0, 64))));\n"
 "        p += 64;\n"
 "        q += 64;\n"
 "    }\n"
 "}\n"},
    {"carried pointers of two types, narrower stored",
     {{TILEC_I32, 0}, {TILEC_I16, 256}},
     {3},
     1,
     "#include <tilec/kernel.h>\n"
     "launch_grid(k, 1);\n"
     "kernel void k(int *A, short *B, int n)\n"
     "{\n"
     "    auto p = A;\n"
     "    auto q = B;\n"
     "    for (int t = 0; t < n; t++) {\n"
     "        store(q + arange(0, 64), cast(short, load(p + arange(0, 64)) + 1));\n"
     "        p += 64;\n"
     "        q += 64;\n"
     "    }\n"
     "}\n"},
    {"carried pointers backwards",
     {{TILEC_I32, 0}, {TILEC_I16, 0}},
     {1},
     1,
     "#include <tilec/kernel.h>\n"
     "launch_grid(k, 1);\n"
     "kernel void k(int *A, short *B, int n)\n"
     "{\n"
     "    auto p = A;\n"
     "    auto q = B;\n"
     "    for (int t = 0; t < n; t++) {\n"
     "        store(q + (63 - arange(0, 64)), cast(short, load(p + (63 - arange(0, 64))) + 1));\n"
     "        p += 64;\n"
     "        q += 64;\n"
     "    }\n"
     "}\n"},
    {"loaded behind a store, stored over what that one loaded",
     {{TILEC_I32, 0}},
     {0},
     0,
     "#include <tilec/kernel.h>\n"
     "launch_grid(k, 1);\n"
     "kernel void k(int *restrict A)\n"
     "{\n"
     "    int i = arange(0, 16);\n"
     "    store(A + (26 - i), 0);\n"
     "    store(A + i * 3 + 18, load(A + (26 - i)));\n"
     "}\n"},
    {"the same in three steps",
     {{TILEC_U32, 0}},
     {2, 5},
     2,
     "#include <tilec/kernel.h>\n"
     "launch_grid(k, 1);\n"
     "kernel void k(unsigned *restrict A, int n, int m)\n"
     "{\n"
     "    int i = arange(0, 64);\n"
     "    unsigned a = load(A + i), b = load(A + i + n);\n"
     "    store(A + i, b);\n"
     "    unsigned c = load(A + i);\n"
     "    store(A + i + m, c + a);\n"
     "    unsigned d = load(A + i + m);\n"
     "    store(A + i, d + b, i < 50);\n"
     "    store(A + i + 100, sum(c) + d);\n"
     "}\n"},
    {"two carried pointers of one type",
     {{TILEC_I32, 64}, {TILEC_I32, 64}},
     {3},
     1,
     "#include <tilec/kernel.h>\n"
     "launch_grid(k, 1);\n"
     "kernel void k(int *A, const int *B, int n)\n"
     "{\n"
     "    int i = arange(0, 64);\n"
     "    auto p = A + 19;\n"
     "    auto q = B + 16;\n"
     "    for (int t = 0; t < n; t++) {\n"
     "        store(p + i, load(q + i));\n"
     "        store(p + i, load(p + i) + 1);\n"
     "        p += 64;\n"
     "        q += 64;\n"
     "    }\n"
     "}\n"},
    {"wide elements behind an odd byte",
     {{TILEC_I8, 2}, {TILEC_I64, 32}},
     {0},
     0,
     "#include <tilec/kernel.h>\n"
     "launch_grid(k, 1);\n"
     "kernel void k(int8_t *A, int64_t *B)\n"
     "{\n"
     "    int i = arange(0, 32);\n"
     "    store(B + i, load(B + i + 1) ^ load(A + i + 40));\n"
     "    store(A + 2 * i, load(A + 2 * i + 50) & 7);\n"
     "}\n"},
{"a product over its first operand, one program", {{TILEC_F32, 0}, {TILEC_F32, 8192}, {TILEC_F32, 128}}, {0}, 0,
 "#include <tilec/kernel.h>\n"
 "launch_grid(k, 1);\n"
 "kernel void k(const float *A, const float *B, float *C)\n"
 "{\n"
 "    float acc = zeros(float, 32, 32);\n"
 "    for (int i = 0; i < 32; i += 8)\n"
 "        acc = dot(tile_load(view(A, 32, 32), 0, i, 32, 8),\n"
 "                  tile_load(view(B, 32, 32), i, 0, 8, 32), acc);\n"
 "    tile_store(view(C, 32, 32), 0, 0, acc);\n"
 "}\n"},
{"a product over its first operand, rows of it a program", {{TILEC_F32, 0}, {TILEC_F32, 8192}, {TILEC_F32, 0}}, {32}, 1,
 "#include <tilec/kernel.h>\n"
 "launch_grid(k, 4);\n"
 "kernel void k(const float *A, const float *B, float *C, int n)\n"
 "{\n"
 "    float acc = zeros(float, 8, 32);\n"
 "    int p = program_id(0) * 8;\n"
 "    for (int i = 0; i < n; i += 8)\n"
 "        acc = dot(tile_load(view(A, 32, n), p, i, 8, 8),\n"
 "                  tile_load(view(B, n, n), i, 0, 8, 32), acc);\n"
 "    tile_store(view(C, 32, n), p, 0, acc);\n"
 "}\n"},
{"a product added to what lies over its operand", {{TILEC_F32, 64}, {TILEC_F32, 8192}, {TILEC_F32, 0}}, {32}, 1,
 "#include <tilec/kernel.h>\n"
 "launch_grid(k, 1);\n"
 "kernel void k(const float *A, const float *B, float *C, int n)\n"
 "{\n"
 "    float acc = zeros(float, 32, 32);\n"
 "    int y = expand_dims(arange(0, 32), 1), x = expand_dims(arange(0, 32), 0);\n"
 "    for (int i = 0; i < n; i += 16) {\n"
 "        int u = expand_dims(arange(0, 16), 0), v = expand_dims(arange(0, 16), 1);\n"
 "        acc = dot(load(A + y * n + (i + u)), load(B + (i + v) * n + x), acc);\n"
 "    }\n"
 "    store(C + y * n + x, acc + load(C + y * n + x + 1));\n"
 "}\n"},
{"rows normalised one element further on", {{TILEC_F32, 0}, {TILEC_F32, 4}}, {8}, 1,
 "#include <tilec/kernel.h>\n"
 "launch_grid(k, 1);\n"
 "kernel void k(const float *X, float *Y, int rows)\n"
 "{\n"
 "    int i = arange(0, 256);\n"
 "    for (int r = 0; r < rows; r++) {\n"
 "        float x = load(X + r * 256 + i);\n"
 "        float top = max(x), least = min(x);\n"
 "        store(Y + r * 256 + i, (x - top) * 2.0f + least);\n"
 "    }\n"
 "}\n"},
{"rows in place, each a program's", {{TILEC_F32, 0}, {TILEC_F32, 0}, {TILEC_F32, 8192}}, {0}, 0,
 "#include <tilec/kernel.h>\n"
 "launch_grid(k, 7);\n"
 "kernel void k(const float *X, float *Y, const float *W)\n"
 "{\n"
 "    int i = arange(0, 256);\n"
 "    float x = load(X + program_id(0) * 256 + i);\n"
 "    float y = x - max(x);\n"
 "    store(Y + program_id(0) * 256 + i, y * load(W + i));\n"
 "}\n"},
{"the last of a row is the next one's weight", {{TILEC_F32, 0}, {TILEC_F32, 1024}}, {5}, 1,
 "#include <tilec/kernel.h>\n"
 "launch_grid(k, 1);\n"
 "kernel void k(const float *W, float *Y, int rows)\n"
 "{\n"
 "    int i = arange(0, 256);\n"
 "    for (int r = 0; r < rows; r++) {\n"
 "        float w = load(W + i);\n"
 "        float y = load(Y + r * 128 + i);\n"
 "        store(Y + r * 128 + i + 16, y + w);\n"
 "        store(Y + i, maximum(w, y));\n"
 "    }\n"
 "}\n"},
{"a table in the output", {{TILEC_U8, 0}, {TILEC_U8, 100}}, {3}, 1,
 "#include <tilec/kernel.h>\n"
 "launch_grid(k, 1);\n"
 "kernel void k(const uint8_t *T, uint8_t *X, int n)\n"
 "{\n"
 "    int i = arange(0, 256);\n"
 "    for (int r = 0; r < n; r++)\n"
 "        store(X + i + r, load(T + load(X + i)) ^ load(X + i + 1), i < 250);\n"
 "}\n"},
{"histogram over its data", {{TILEC_I32, 0}, {TILEC_U32, 200}}, {2}, 1,
 "#include <tilec/kernel.h>\n"
 "launch_grid(k, 1);\n"
 "kernel void k(const int *X, unsigned *H, int n)\n"
 "{\n"
 "    int i = arange(0, 512);\n"
 "    for (int r = 0; r < n; r++)\n"
 "        atomic_add(H + (load(X + r * 20 + i) & 255), cast(unsigned, 1));\n"
 "}\n"},
