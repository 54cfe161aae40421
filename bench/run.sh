#!/bin/sh
# Runs the benchmark of a build folder from the repository's root; results go to its bench.json.
# Further arguments are tilec-bench's own, such as --seconds 5.
set -eu
build=${1:-build}
shift || true
exec "$build/tilec-bench" --tilec "$build/tilec" "$@" "$build/bench.json"
