#!/bin/sh
# No test is skipped without a word: the reason stands behind "skipped: " (tests/skip.h for programs),
# so that tests/skips.sh can list what a run did not test.
status=0
if grep -n '\<skip();' tests/*/*.c tests/*/*.h; then
    echo "SKIP of tests/skip.h says why"
    status=1
fi
# In scripts the same line or the one before says it.
for script in tests/*.sh tests/script/*.sh; do
    awk -v script="$script" '
        /(exit|return) 77/ && !/skipped: / && before !~ /skipped: / && !/^ *#/ {
            print script ":" FNR ": " $0; bad = 1
        }
        { before = $0 }
        END { exit bad }' "$script" || status=1
done
exit $status
