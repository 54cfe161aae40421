#!/bin/sh
# Runs the benchmark of a build folder from the repository's root; results go to its bench.json.
# Further arguments are tilec-bench's own, such as --seconds 5.
set -eu
build=${1:-build}
shift || true
# Threads that sleep between calls would be what is timed in small cases, ours and the peers' alike.
export GOMP_SPINCOUNT="${GOMP_SPINCOUNT:-200000}"
exec "$build/tilec-bench" --tilec "$build/tilec" "$@" "$build/bench.json"
