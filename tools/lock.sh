#!/bin/sh
# Compiles requirements/*.txt anew: hashes, no addresses. Run by a person (`make lock`), never by the tests.
set -eu
cd "$(dirname "$0")/.."
compile() {
    name=$1; shift
    .venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate \
        --prerelease if-necessary-or-explicit "$@" pyproject.toml "requirements/$name.in" --output-file "requirements/$name.txt"
    sed -i "1i # Compiled by tools/lock.sh from pyproject.toml and requirements/$name.in." "requirements/$name.txt"
}
compile dev --extra all
compile oldest --extra langgraph --extra demo --resolution lowest-direct
compile peers --extra langgraph --extra demo --extra auto
