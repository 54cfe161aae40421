#include <tilec/kernel.h>

launch_grid(nbody, cdiv(n, BLOCK));
tune(nbody, BLOCK, 256, 64);

/*
 * The accelerations of n bodies by all of them: A[i] = the sum over j of M[j] D / (D . D + soft)^(3/2), where
 * D = P[j] - P[i]. P (positions: all x, all y, all z) and A are [3, n], row-major, M (masses, times the constant of
 * gravitation) is [n], all float; soft is the square of a length, above 0. A program takes BLOCK bodies.
 */
kernel void nbody(const float *restrict P, const float *restrict M, float *restrict A, int n,
                  float soft, constexpr int BLOCK)
{
    const float *X = P, *Y = P + n, *Z = Y + n;
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    float x = load(X + i, i < n), y = load(Y + i, i < n), z = load(Z + i, i < n);
    float ax = zeros(float, BLOCK), ay = zeros(float, BLOCK), az = zeros(float, BLOCK);
    for (int j = 0; j < n; j++) {
        float dx = X[j] - x, dy = Y[j] - y, dz = Z[j] - z;
        float near = rsqrt(dx * dx + dy * dy + dz * dz + soft);
        float pull = M[j] * near * near * near;
        ax += pull * dx;
        ay += pull * dy;
        az += pull * dz;
    }
    store(A + i, ax, i < n);
    store(A + n + i, ay, i < n);
    store(A + 2 * n + i, az, i < n);
}
