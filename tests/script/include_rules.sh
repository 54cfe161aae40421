#!/bin/sh
# A folder of src/ includes only what its row allows it: data flows one way (CONTRIBUTING.md).
set -u
rules() {
    cat <<'ROWS'
base    base
ir      base ir
lang    base ir lang
opt     base ir opt
interp  base ir interp
layout  base layout
plan    base ir layout plan
cpu     base ir plan cpu
gpu     base ir opt layout plan gpu
emit    base ir gpu emit
report  base ir gpu plan report
lab     base lab tilec
cli     base cli tilec
ROWS
}

status=0
for path in src/*/; do
    folder=$(basename "$path")
    allowed=$(rules | awk -v f="$folder" '$1 == f { $1 = ""; print }')
    [ -n "$allowed" ] || continue # run/ joins all stages
    for file in "$path"*.[ch] "$path"*.def; do
        [ -f "$file" ] || continue
        for included in $(sed -n 's/^ *# *include *"\([a-z_]*\)\/.*/\1/p' "$file" | sort -u); do
            case " $allowed " in
            *" $included "*) ;;
            *)
                echo "$file includes $included/, which $folder/ may not:" \
                    "$(grep -n "include *\"$included/" "$file" | head -n 1)"
                status=1
                ;;
            esac
        done
    done
done
exit $status
