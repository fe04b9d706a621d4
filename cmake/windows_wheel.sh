#!/usr/bin/env bash
# Builds the wheel of kauriboost for Windows on x86-64, on Debian: its kauri.dll and kauri.exe come from cmake/cross.sh.
#
#   cmake/windows_wheel.sh [FOLDER]                into FOLDER (dist)
#   cmake/windows_wheel.sh --from BUILD [FOLDER]   of a build that is there, such as build-cross/x86_64-windows-gnu
#
# cmake/check_windows_wheel.py checks what is in it. Nothing here runs Python for Windows: the wheel itself is untested.
set -euo pipefail
KAURI_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$KAURI_ROOT/cmake/setup.sh"

target=x86_64-windows-gnu build='' out=$KAURI_ROOT/dist
while (($#)); do
  case $1 in
    --from) build=$(cd "${2:?--from needs the folder of a build}" && pwd) && shift ;;
    -h | --help) sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" && exit ;;
    -*) give_up "unknown option '$1'; cmake/windows_wheel.sh --help lists what there is" ;;
    *) out=$(mkdir -p "$1" && cd "$1" && pwd) ;;
  esac
  shift
done
python=${KAURI_PYTHON:-$KAURI_ROOT/.venv/bin/python}
[[ -n ${KAURI_PYTHON:-} ]] || require_venv "$KAURI_ROOT/cmake/wheel-requirements.txt"
if [[ -z $build ]]; then
  "$KAURI_ROOT/cmake/cross.sh" $target kauri kauri_cli
  build=$KAURI_ROOT/build-cross/$target
fi

heading "Packing"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lib" "$work/bin" "$out"
x86_64-w64-mingw32-strip -o "$work/lib/kauri.dll" "$build/bin/kauri.dll"
x86_64-w64-mingw32-strip -o "$work/bin/kauri.exe" "$build/bin/kauri.exe"
(cd "$KAURI_ROOT/python-package" && KAURI_LIBRARY=$work/lib/kauri.dll "$python" -c '
import sys
import setuptools.build_meta as backend
backend.build_wheel(sys.argv[1], {"--build-option": ["--plat-name=win_amd64"]})
' "$work") >"$work/log" 2>&1 || give_up "$(cat "$work/log")"
"$python" "$KAURI_ROOT/cmake/check_windows_wheel.py" "$work"/kauriboost-*.whl
"$python" -m twine check --strict "$work"/kauriboost-*.whl >"$work/log" 2>&1 || give_up "$(cat "$work/log")"
mv "$work"/kauriboost-*.whl "$out"
(cd "$out" && du -h --apparent-size kauriboost-*-win_amd64.whl)
