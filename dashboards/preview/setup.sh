#!/bin/sh
# Packages for the previews, from the lock file; Chromium from the system (Debian: apt-get install chromium).
# Exit code 3: not possible on this machine, with the reason on stderr.
set -eu
cd "$(dirname "$0")"
command -v node > /dev/null && command -v npm > /dev/null || { echo "no Node.js with npm on this machine" >&2; exit 3; }
[ "$(node -p 'process.versions.node.split(".")[0] >= 20')" = true ] || { echo "Node.js $(node --version) is too old: 20 or newer" >&2; exit 3; }
stamp=$(sha256sum package-lock.json package.json | sha256sum | cut -c1-16)
if [ "$(cat node_modules/.hookspan-stamp 2> /dev/null || true)" != "$stamp" ]; then
    npm ci --no-audit --no-fund --ignore-scripts --loglevel=error >&2
    echo "$stamp" > node_modules/.hookspan-stamp
fi
if ! command -v chromium > /dev/null; then
    if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
        echo "installing chromium ..." >&2
        { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium; } > /dev/null 2>&1 || true
    fi
fi
command -v chromium || { echo "no Chromium on this machine (Debian: apt-get install chromium)" >&2; exit 3; }
