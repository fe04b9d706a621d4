#!/usr/bin/env bash
# Builds what one publishes for Python: the wheel kauriboost, its source distribution, and the wheel kauriboost-cuda.
#
#   cmake/wheels.sh [FOLDER]                    wheel and source distribution of kauriboost, into FOLDER (dist)
#   cmake/wheels.sh --cuda [FOLDER]             those, and kauriboost-cuda of the same build
#   cmake/wheels.sh --from BUILD [FOLDER]       the same of a build that is there, kauriboost-cuda where it has the plug-in
#
# auditwheel copies libraries into a wheel that not every system has (Highway's), and names it after the oldest glibc whose
# symbols suffice. Built on Debian 12 that is 2.34, the first that has the threads' and the loader's functions in libc.so.
set -euo pipefail
KAURI_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$KAURI_ROOT/cmake/setup.sh"

preset=wheel build='' out=$KAURI_ROOT/dist
while (($#)); do
  case $1 in
    --cuda) preset=wheel-cuda ;;
    --from) build=$(cd "${2:?--from needs the folder of a build}" && pwd) && shift ;;
    -h | --help) sed -n '2,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" && exit ;;
    -*) give_up "unknown option '$1'; cmake/wheels.sh --help lists what there is" ;;
    *) out=$(mkdir -p "$1" && cd "$1" && pwd) ;;
  esac
  shift
done

python=${KAURI_PYTHON:-$KAURI_ROOT/.venv/bin/python}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# build_wheel FOLDER: the wheel of the package there, as it comes, into $work/raw.
build_wheel() {
  (cd "$1" && "$python" -c 'import setuptools.build_meta as backend, sys; backend.build_wheel(sys.argv[1])' "$work/raw")
}

if [[ -z $build ]]; then
  require_debian_packages build
  require_venv "$KAURI_ROOT/cmake/wheel-requirements.txt"
  build_preset $preset
  build=$KAURI_ROOT/build-$preset
fi

heading "Packing"
cmake --install "$build" --prefix "$work/installed" --strip >"$work/log" || give_up "$(cat "$work/log")"
export KAURI_LIBRARY=$work/installed/lib/libkauri.so
plugin=$work/installed/lib/libkauri_cuda.so
mkdir -p "$work/raw" "$work/apart" "$out"
[[ ! -e $plugin ]] || mv "$plugin" "$work/apart"
{
  build_wheel "$KAURI_ROOT/python-package"
  if [[ -e $work/apart/libkauri_cuda.so ]]; then
    mv "$work/apart/libkauri_cuda.so" "$plugin"
    build_wheel "$KAURI_ROOT/python-package/cuda"
  fi
  (cd "$KAURI_ROOT/python-package" \
    && "$python" -c 'import setuptools.build_meta as backend, sys; backend.build_sdist(sys.argv[1])' "$out")
} >"$work/log" 2>&1 || give_up "$(cat "$work/log")"

heading "Repairing"
# The plug-in finds the library in the package that it is installed into.
PATH=$(dirname "$python"):$PATH "$python" -m auditwheel repair --exclude 'libkauri.so.*' --wheel-dir "$out" "$work"/raw/*.whl \
  >"$work/log" 2>&1 || give_up "$(cat "$work/log")"
(cd "$out" && du -h --apparent-size kauriboost*)
