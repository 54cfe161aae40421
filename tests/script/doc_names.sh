#!/bin/sh
# What documents, scripts and comments name is there: files of the tree, and targets of make.
set -u
status=0
folders='bench|cmake|docs|examples|include|kernels|lab|src|tests|tools'

complain() {
    echo "$1 names '$2', which is not there"
    status=1
}

# Paths from the root. Capitals stand for any name; what begins with '/' or '.' is none of ours.
for file in *.md docs/*.md tests/README.md kernels/README.md tests/script/*.sh tools/*.sh Makefile; do
    for path in $(grep -oE "(^|[^A-Za-z0-9_/.*-])($folders)/[A-Za-z0-9_./*-]*[A-Za-z0-9_/*]" "$file" |
        sed 's/^[^a-z]//' | grep -v '[A-Z*]' | sort -u); do
        [ -e "$path" ] || ls "$path".* >/dev/null 2>&1 || complain "$file" "$path"
    done
done

# File names in the comments of sources, with folders or without. cmocka.h is another project's.
missing=$({
    find *.md CMakeLists.txt Makefile bench cmake docs examples include kernels lab src tests tools -type f |
        sed 's/^/file /'
    find bench include src tests tools -name '*.[ch]' -o -name '*.def' | xargs awk '
        FNR == 1 { inside = 0 }
        { line = $0
          while (line != "") {
              if (inside) {
                  end = index(line, "*/")
                  print FILENAME, end ? substr(line, 1, end - 1) : line
                  inside = !end
                  line = end ? substr(line, end + 2) : ""
              } else {
                  begin = index(line, "/*")
                  inside = begin > 0
                  line = begin ? substr(line, begin + 2) : ""
              }
          } }'
} | awk '
    $1 == "file" {
        for (path = $2; path != ""; path = slash ? substr(path, slash + 1) : "") {
            there[path] = 1
            slash = index(path, "/")
        }
        next
    }
    {
        for (i = 2; i <= NF; i++) {
            name = $i
            gsub(/^[(:;"`]+|[]).,:;"`]+$/, "", name)
            if (name ~ /^[a-z_0-9][a-z_0-9\/]*\.(c|h|def|ll)$/ && !there[name] && name != "cmocka.h")
                print $1 " names " name ", which is not there"
        }
    }' | sort -u)
if [ -n "$missing" ]; then
    echo "$missing"
    status=1
fi

for file in *.md docs/*.md tests/README.md; do
    for target in $(grep -oE '(`|^    |\$ )make [a-z]+' "$file" | sed 's/.*make //' | sort -u); do
        grep -q "^$target:" Makefile || complain "$file" "make $target"
    done
done
exit $status
