#!/bin/sh
# Builds collector, Jaeger and Prometheus from Go modules, once per set of versions, outside the checkout.
# Last line on stdout: the folder of the programs (collector, jaeger, prometheus, promtool, compose). Exit code 3: not possible on this machine, with the reason on stderr.
set -eu
cd "$(dirname "$0")"
command -v go > /dev/null || { echo "no Go on this machine" >&2; exit 3; }
for module in ocb jaeger prometheus compose; do
    (cd $module && go list -m > /dev/null) || { echo "$(go version) is too old for $module, see above" >&2; exit 3; }
done

key=$(cat build.sh collector.yaml */go.mod */go.sum compose/main.go | sha256sum | cut -c1-16)
home=${XDG_CACHE_HOME:-$HOME/.cache}/hookspan/stack/$key
mkdir -p "$home"
exec 9> "$home/lock"
command -v flock > /dev/null && flock 9
here=$PWD
# A version-control stamp would ask git about a checkout that may belong to somebody else.
export CGO_ENABLED=0 GOFLAGS="-buildvcs=false"

build() { # program, module folder, package, further arguments
    program=$1 folder=$2 package=$3; shift 3
    [ -x "$home/$program" ] && return
    echo "building $program (some minutes, once) ..." >&2
    (cd "$here/$folder" && go build "$@" -o "$home/$program.new" "$package")
    mv "$home/$program.new" "$home/$program"
}

if [ ! -x "$home/collector" ]; then
    build ocb ocb go.opentelemetry.io/collector/cmd/builder
    echo "building collector (some minutes, once) ..." >&2
    rm -rf "$home/_build"
    (cd "$home" && "$home/ocb" --config "$here/collector.yaml" >&2)
    mv "$home/_build/collector" "$home/collector"
    rm -rf "$home/_build"
fi
build jaeger jaeger github.com/jaegertracing/jaeger/cmd/jaeger
build prometheus prometheus github.com/prometheus/prometheus/cmd/prometheus -tags netgo,remove_all_sd
build promtool prometheus github.com/prometheus/prometheus/cmd/promtool -tags netgo,remove_all_sd
build compose compose .
echo "$home"
