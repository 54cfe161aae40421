#!/bin/sh
# The published schemas accept every shipped experiment, records of every kind and the earlier compiler's records, and refuse
# what lacks a required field. Needs Python with jsonschema.
set -u
if ! python3 -c 'import jsonschema' 2>/dev/null; then
    echo "skipped: Python's jsonschema is not installed"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ ! -x "$TILEC_BUILD_DIR/test_lab_verify" ] || "$TILEC_BUILD_DIR/test_lab_verify" --write "$work"
python3 - lab/*.json tests/lab/declared-*.json "$work"/*.json ${TILEC_SEEDS:+"$TILEC_SEEDS"/*.json} <<'PYTHON'
import json, sys
import jsonschema

schemas = {}
for name in ("experiment", "record"):
    with open(f"docs/{name}.schema.json") as file:
        schemas[name] = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schemas[name])

status = 0
for path in sys.argv[1:]:
    with open(path) as file:
        value = json.load(file)
    name = "experiment" if value.get("kind") == "tilec_experiment" else "record"
    validator = jsonschema.Draft202012Validator(schemas[name])
    for error in list(validator.iter_errors(value))[:3]:
        print(f"{path}: {error.json_path}: {error.message[:200]}")
        status = 1
    value.pop("cases", None) if "cases" in value else value.pop("samples")
    if validator.is_valid(value):
        print(f"{path}: is accepted without its cases")
        status = 1
sys.exit(status)
PYTHON
