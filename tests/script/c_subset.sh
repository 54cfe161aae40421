#!/bin/sh
# docs/c-subset.md names every word of C that the parser refuses.
set -u
status=0
for word in $(sed -n 's/^REFUSED(\([A-Za-z_0-9]*\),.*/\1/p' src/lang/words.def); do
    if ! grep -q "\`$word\`" docs/c-subset.md; then
        echo "docs/c-subset.md does not name '$word'"
        status=1
    fi
done
exit $status
