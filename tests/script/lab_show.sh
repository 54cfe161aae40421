#!/bin/sh
# Pages and charts of records of every kind, laid out by Chromium at two widths, light and dark: no two
# texts overlap, none leaves its chart, nothing is wider than the page, and all figures are texts.
set -u
tilec=$TILEC_BUILD_DIR/tilec
browser=$(command -v chromium || command -v chromium-browser || true)
if [ -z "$browser" ]; then
    echo "skipped: Chromium is not installed"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$TILEC_BUILD_DIR/test_lab_verify" --write "$work" || exit 1
[ -z "${TILEC_SEEDS:-}" ] || cp "$TILEC_SEEDS"/*.json "$work"

cat >"$work/check.js" <<'JS'
addEventListener("load", () => {
    const wrong = [];
    let figures = 0;
    for (const svg of document.querySelectorAll("svg")) {
        const frame = svg.getBoundingClientRect();
        const texts = [...svg.querySelectorAll("text")].map(t => [t, t.getBoundingClientRect()]);
        for (const [t, r] of texts) {
            figures += /^\d+\.\d{3}( fails)?$/.test(t.textContent);
            if (r.left < frame.left - 1 || r.right > frame.right + 1 ||
                r.top < frame.top - 1 || r.bottom > frame.bottom + 1)
                wrong.push("outside: " + t.textContent);
        }
        for (let i = 0; i < texts.length; i++)
            for (let k = i + 1; k < texts.length; k++) {
                const a = texts[i][1], b = texts[k][1];
                /* A line box is a little taller than its letters. */
                if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
                    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2)
                    wrong.push("overlap: " + texts[i][0].textContent + " / " +
                               texts[k][0].textContent);
            }
    }
    if (document.documentElement.scrollWidth > innerWidth + 1)
        wrong.push("wider than the page: " + document.documentElement.scrollWidth);
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const paper = getComputedStyle(document.body).backgroundColor;
    const result = document.createElement("p");
    result.textContent = `LAYOUT figures=${figures} wrong=${wrong.length} dark=${dark} ` +
        `paper=${paper} ${wrong.slice(0, 3).join("; ")} END`;
    document.body.append(result);
});
JS

status=0
check() { # PAGE WIDTH SCHEME
    result=$("$browser" --headless --no-sandbox --disable-gpu --window-size="$2",900 \
        --blink-settings=preferredColorScheme="$3" --virtual-time-budget=2000 --dump-dom \
        "file://$1" 2>/dev/null | sed -n 's/.*\(LAYOUT .*\) END.*/\1/p')
    case $result in
    *"figures=0 "* | "") echo "$1 at $2: no figures ($result)"; status=1 ;;
    *"wrong=0 "*) ;;
    *) echo "$1 at $2: $result"; status=1 ;;
    esac
    case $3,$result in
    0,*dark=true*"rgb(15, 19, 24)"* | 1,*dark=false*"rgb(255, 255, 255)"*) ;;
    *) echo "$1 at $2: another colour than asked for: $result"; status=1 ;;
    esac
}

rm "$work/incomparable.json" "$work/tuning.json" "$work/validation.json" # drawn as the others are
for record in "$work"/*.json; do
    page=${record%.json}.html
    "$tilec" lab show "$record" --html "$page" --svg "${record%.json}.svg" || exit 1
    grep -q 'src=\|href=' "$page" && { echo "$page loads something"; status=1; }
    {
        sed '/<\/body>/,$d' "$page"
        echo '<script>'
        cat "$work/check.js"
        echo '</script></body></html>'
    } >"$page.checked.html"
    check "$page.checked.html" 1280 1
    check "$page.checked.html" 420 0
done
"$browser" --headless --no-sandbox --disable-gpu --dump-dom "file://$work/comparison.svg" 2>/dev/null |
    grep -q '<text' || { echo "comparison.svg is not drawn"; status=1; }
exit $status
