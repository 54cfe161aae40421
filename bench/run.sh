#!/bin/sh
# Runs the benchmark of a build folder from the repository's root; results go to its bench.json.
# Further arguments are tilec-bench's own, such as --seconds 5.
set -eu
build=${1:-build}
shift || true
# Threads of OpenMP (ours, BLIS's and oneDNN's) wait on their cores: else their waking is what is timed
# where two threads share a product of microseconds.
export OMP_WAIT_POLICY="${OMP_WAIT_POLICY:-active}"
exec "$build/tilec-bench" --tilec "$build/tilec" "$@" "$build/bench.json"
