#!/bin/sh
# Links between documents lead somewhere: the file is there, and so is the heading behind '#'.
set -u
status=0

# Headings of a file, as links write them: small letters, no punctuation, '-' for each blank.
anchors() {
    sed -n 's/^##* *//p' "$1" | tr 'A-Z' 'a-z' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

for file in *.md docs/*.md tests/README.md; do
    for link in $(grep -o ']([^) ]*)' "$file" | sed 's/^](//; s/)$//' | grep -v '^https*:'); do
        path=${link%%#*}
        target=$(dirname "$file")/$path
        [ -n "$path" ] || target=$file
        if [ ! -e "$target" ]; then
            echo "$file: there is no '$path'"
            status=1
        elif [ "$link" != "$path" ] && ! anchors "$target" | grep -qxF -- "${link#*#}"; then
            echo "$file: '$target' has no heading '${link#*#}'"
            status=1
        fi
    done
done
exit $status
