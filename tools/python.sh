#!/bin/sh
# Prints a Python that can make the environments, or says in one line what is missing. `PYTHON=...` chooses one.
# With an argument, such as 3.13: that version, or nothing and exit code 1.
wanted=${1:-}
minor() { "$1" -c 'import sys; print(sys.version_info[0] * 100 + sys.version_info[1])' 2>/dev/null; }

if [ -n "$wanted" ]; then
    number=$((${wanted%%.*} * 100 + ${wanted#*.}))
    for candidate in "python$wanted" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$wanted".*/bin/python; do
        [ "$(minor "$candidate")" = "$number" ] && { echo "$candidate"; exit 0; }
    done
    exit 1
fi

for candidate in ${PYTHON:-python3.11 python3 python3.12 python3.13}; do
    found=$(minor "$candidate") || continue
    [ "${found:-0}" -ge 311 ] || continue
    "$candidate" -c 'import ensurepip, venv' 2>/dev/null && { echo "$candidate"; exit 0; }
    lame=${lame:-$candidate}
done
if [ -n "${lame:-}" ]; then
    echo "hookspan: $lame cannot make virtual environments (ensurepip or venv is missing): run 'apt-get install python3-venv', or name another Python: make PYTHON=/path/to/python3.11 ..." >&2
else
    echo "hookspan: no Python 3.11 or newer found (looked for ${PYTHON:-python3.11, python3, python3.12, python3.13}): run 'apt-get install python3 python3-venv', or name one: make PYTHON=/path/to/python3.11 ..." >&2
fi
exit 1
