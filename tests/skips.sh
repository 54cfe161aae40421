#!/bin/sh
# tests/skips.sh FOLDER: what the last run of ctest in this build folder did not test, with the reason
# that each gave: whole tests, single ones of a program, and parts of a test that passed otherwise.
# One line for each test and reason; the last line counts. ctest's log calls skipped tests passed: a
# test is skipped whole whose last words are that.
set -eu
awk '
    function told(what) {
        print test ": " what ": " (reasons ? reasons : "NO REASON GIVEN")
        reasons = ""
    }
    function told_singles() {
        for (reason in names) {
            print test ": " counts[reason] " (" names[reason] " ): " reason
            delete names[reason]
            delete counts[reason]
        }
    }
    / Testing: / { tests++; test = $3; reasons = ""; next }
    /^skipped: / {
        reason = substr($0, 10)
        if (!index(reasons, reason)) reasons = reasons (reasons ? "; " : "") reason
    }
    /^\[ +(RUN|OK|FAILED) +\]/ { running = $0 ~ /RUN/ }
    /^\[  SKIPPED \] / && running {
        single++
        running = 0
        reason = reasons ? reasons : "NO REASON GIVEN"
        names[reason] = names[reason] " " $4
        counts[reason]++
        reasons = ""
    }
    /^<end of output>$/ { whole_test = before ~ /^skipped: / }
    /^Test (Passed|Failed)\.$/ { told_singles() }
    /^Test Passed\.$/ {
        if (whole_test) whole++
        else passed++
        if (reasons) {
            partly += !whole_test
            told(whole_test ? "all of it" : "in part")
        }
    }
    { before = $0 }
    END {
        print passed + 0 " of " tests + 0 " tests passed, " whole + 0 " skipped; of programs " \
            single + 0 " single tests skipped, " partly + 0 " left a part out"
    }
' "$1/Testing/Temporary/LastTest.log"
