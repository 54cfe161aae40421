#!/bin/sh
# tests/skips.sh FOLDER: what the last run of ctest in this build folder did not test, with the reason
# that each gave: whole tests, single ones of a program, and parts of a test that passed otherwise.
# One line each; the last one counts.
set -eu
awk '
    function told(what) {
        print test ": " what ": " (reasons ? reasons : "NO REASON GIVEN")
        reasons = ""
    }
    / Testing: / { tests++; test = $3; reasons = ""; next }
    /^skipped: / {
        reason = substr($0, 10)
        if (!index(reasons, reason)) reasons = reasons (reasons ? "; " : "") reason
    }
    /^\[ +(RUN|OK|FAILED) +\]/ { running = $0 ~ /RUN/ }
    /^\[  SKIPPED \] / && running { single++; running = 0; told($4) }
    /^Test Skipped\.$/ { whole++; told("all of it") }
    /^Test Passed\.$/ { passed++; if (reasons) { partly++; told("in part") } }
    END {
        print passed + 0 " of " tests + 0 " tests passed, " whole + 0 " skipped; of programs " \
            single + 0 " single tests skipped, " partly + 0 " left a part out"
    }
' "$1/Testing/Temporary/LastTest.log"
