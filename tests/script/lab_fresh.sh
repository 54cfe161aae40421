#!/bin/sh
# A record made now: frozen by 'lab export', measured by 'lab run', verified as it is, re-indented and
# with other orders of keys, altered in every place, shown; and an export that changed is refused.
set -u
tilec=$TILEC_BUILD_DIR/tilec
"$tilec" devices | grep -q '^cpu .*threads' || { echo "skipped: no CPU backend"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
experiment=tests/lab/declared-comparison.json

"$tilec" lab export $experiment -o "$work/baseline.json" || exit 1
"$tilec" lab run $experiment --baseline "$work/baseline.json" -o "$work/record.json" || exit 1
"$tilec" lab verify "$work/record.json" >"$work/verified" || status=1
grep -q 'record_sha256 of the whole record' "$work/verified" || { echo "not sealed"; status=1; }
"$tilec" lab show "$work/record.json" | grep -q '^float32_4x32 *frozen_baseline' ||
    { echo "the frozen baseline is not shown"; status=1; }

"$tilec" lab null $experiment --repeat 1 -o "$work/null.json" &&
    "$tilec" lab verify "$work/null.json" >/dev/null || status=1
refused() { # WORDS COMMAND...
    words=$1
    shift
    if "$@" >"$work/out" 2>&1; then
        echo "accepted: $*"
        status=1
    elif ! grep -q "$words" "$work/out"; then
        echo "not refused by '$words':"
        cat "$work/out"
        status=1
    fi
}
# One case only, with its own frozen arm.
"$tilec" lab run $experiment --baseline "$work/baseline.json" --case float32_4x32 -o "$work/one.json"
grep -q '"status": "ok"' "$work/one.json" || { echo "a single case is not compared"; status=1; }
refused "is of some cases of its experiment only" "$tilec" lab verify "$work/one.json"
"$tilec" lab show "$work/one.json" | grep -q '^verified: NO: it is of some cases' ||
    { echo "a record of one case is shown as a whole one"; status=1; }
# A script that brings arms runs the lab itself.
cat >"$work/host.py" <<'PYTHON'
import os, sys
args = sys.argv[1:]
assert os.path.exists(args[1]) and args[0] == "--lib", args
print(*args[2:])
PYTHON
if python3 -c '' 2>/dev/null; then
    "$tilec" lab run lab/rmsnorm-register.json --target cuda --external "torch=$work/host.py" \
        --case a,b --baseline B -o R >"$work/hosted" || status=1
    [ "$(cat "$work/hosted")" = \
        '--lab lab/rmsnorm-register.json --baseline B --output R --case a --case b' ] ||
        { echo "the script got:"; cat "$work/hosted"; status=1; }
    refused "are for the target 'cuda'" "$tilec" lab run $experiment --external "x=$work/host.py"
fi
# What one process says.
"$tilec" lab run tests/lab/declared-processes.json -o "$work/sample.json" &&
    "$tilec" lab verify "$work/sample.json" >/dev/null &&
    "$tilec" lab show "$work/sample.json" | grep -q 'wall time .* us, greatest error' || status=1
tuning=tests/lab/declared-tuning.json
"$tilec" lab export $tuning -o "$work/frozen.json" &&
    "$tilec" lab tune $tuning --baseline "$work/frozen.json" -o "$work/tuning.json" \
        --manifest "$work/manifest.json" &&
    "$tilec" lab validate "$work/manifest.json" -o "$work/validation.json" || exit 1
for record in tuning manifest validation; do
    "$tilec" lab verify "$work/$record.json" >/dev/null || status=1
done
TILEC_SEEDS="" "$TILEC_BUILD_DIR/test_lab_seeds" "$work/record.json" "$work/null.json" \
    "$work/sample.json" "$work/manifest.json" "$work/validation.json" \
    --experiment $experiment "$work/null.json" --experiment $tuning "$work/manifest.json" \
    --experiment tests/lab/declared-processes.json "$work/sample.json" >"$work/altered" 2>&1 ||
    { cat "$work/altered"; status=1; }
# Held to the experiment: what it declares is confirmed, and another experiment is found.
for pair in record:$experiment tuning:$tuning manifest:$tuning validation:$tuning; do
    "$tilec" lab verify "$work/${pair%%:*}.json" --experiment "${pair#*:}" >"$work/held" || status=1
    grep -q 'what the experiment .* declares' "$work/held" || { echo "not held: $pair"; status=1; }
    ! grep -q 'configuration\|experiment_sha256\|gate_policy\|promotion_gate.policy' "$work/held" ||
        { echo "not confirmed: $pair"; cat "$work/held"; status=1; }
done
sed 's/"rounds": 2/"rounds": 3/' $experiment >"$work/other.json"
refused 'configuration.rounds: is not what the experiment declares: 3' \
    "$tilec" lab verify "$work/record.json" --experiment "$work/other.json"
refused 'experiment: is not what the experiment declares' \
    "$tilec" lab verify "$work/record.json" --experiment $tuning

sed 's/float32/float16/' "$work/baseline.json" >"$work/changed.json"
refused 'was changed after it was exported' \
    "$tilec" lab run $experiment --baseline "$work/changed.json"
refused 'is a baseline for the experiment' \
    "$tilec" lab run lab/rmsnorm-register-cpu.json --baseline "$work/baseline.json"
sed 's/"passed": false/"passed": true/' "$work/record.json" >"$work/altered.json"
refused 'disagrees: record_sha256' "$tilec" lab verify "$work/altered.json"
cp "$work/frozen.json" "$work/kept.json"
sed 's/"process_id": /"process_id": 1/' "$work/kept.json" >"$work/frozen.json"
refused 'was changed after it was exported' "$tilec" lab validate "$work/manifest.json"
"$tilec" lab export $tuning -o "$work/frozen.json"
refused 'the baseline export changed since the tuning' "$tilec" lab validate "$work/manifest.json"
mv "$work/kept.json" "$work/frozen.json"
# A kernel file is bound with the files that it includes.
mkdir "$work/parts"
cp kernels/rmsnorm.tile.c "$work/parts/rmsnorm.h"
echo '#include "parts/rmsnorm.h"' >"$work/whole.tile.c"
sed 's|../../kernels/rmsnorm.tile.c|whole.tile.c|' $tuning >"$work/whole.json"
"$tilec" lab export "$work/whole.json" -o "$work/whole-frozen.json" &&
    "$tilec" lab tune "$work/whole.json" --baseline "$work/whole-frozen.json" -o "$work/whole-tuning.json" \
        --manifest "$work/whole-manifest.json" || status=1
grep -q '"path": "parts/rmsnorm.h"' "$work/whole-tuning.json" || { echo "no includes are recorded"; status=1; }
"$tilec" lab verify "$work/whole-tuning.json" >/dev/null || status=1
sed '/"path": "parts/,/source_sha256/s/kernel void/kernel  void/' "$work/whole-tuning.json" >"$work/altered.json"
refused 'includes\[0\].source_sha256: is' "$tilec" lab verify "$work/altered.json"
echo '/* changed */' >>"$work/parts/rmsnorm.h"
refused "parts/rmsnorm.h' of '.*' changed since the tuning" "$tilec" lab validate "$work/whole-manifest.json"
echo >>"$work/tuning.json"
refused 'the tuning record changed' "$tilec" lab validate "$work/manifest.json"
refused 'is taken from an export of the baseline' "$tilec" lab tune $tuning
refused 'is no manifest' "$tilec" lab validate "$work/record.json"
exit $status
