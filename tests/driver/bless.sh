#!/bin/sh
# bless.sh BUILD: rewrites the expected text of all golden tests. Read the difference before you
# commit it.
set -u
for folder in lang ir pass error limit layout emit run perf cli; do
    [ -d "tests/$folder" ] || continue
    "$1/golden" --bless --tilec "$1/tilec" "tests/$folder"
done
git --no-pager diff --stat -- tests
