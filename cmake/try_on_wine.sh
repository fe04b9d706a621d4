#!/usr/bin/env bash
# Installs the wheel for Windows beside a Python for Windows, and trains, predicts and explains there under wine.
#
#   cmake/try_on_wine.sh FOLDER [PYTHON-ARGUMENT...]     FOLDER: what cmake/wheels.sh --for x86_64-windows-gnu made
#
# The arguments are of that Python; without them it runs tests/python/wheel_session.py. All lies in build-cross/wine-python.
# The Python is put together: CPython 3.11's library and extension modules for Windows are part of Panda3D's wheel on
# PyPI, which builds programs from them, and its modules in Python are those of this machine's Python 3.11. NumPy has
# version 1, because wine 8.0 lacks the functions for complex numbers that NumPy 2 calls.
set -euo pipefail
KAURI_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$KAURI_ROOT/cmake/setup.sh"
case ${1:--h} in -*) sed -n '2,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" && exit ;; esac
wheels=$(cd "$1" && pwd)
wheel=("$wheels"/kauriboost-*-win_amd64.whl)
[[ ${#wheel[@]} == 1 && -e ${wheel[0]} ]] ||
  give_up "$wheels must hold one wheel kauriboost-*-win_amd64.whl; found: $(cd "$wheels" && ls -- *-win_amd64.whl 2>&1)"
arguments=("${@:2}")
folder=$KAURI_ROOT/build-cross/wine-python
home=$folder/home
site=$folder/site
python=${KAURI_PYTHON:-$KAURI_ROOT/.venv/bin/python}
require_debian_packages windows
modules=$("$python" -c 'import sys, sysconfig; print(sysconfig.get_path("stdlib") if sys.version_info[:2] == (3, 11) else "")')
[[ -n $modules ]] || give_up "$python is no Python 3.11; set KAURI_PYTHON"
pip=("$python" -m pip --quiet --disable-pip-version-check)
platform=(--only-binary=:all: --platform win_amd64 --python-version 3.11 --implementation cp)

# make_python: $home, with python.exe.
make_python() {
  [[ -e $home/python.exe ]] && return
  heading "Making a Python for Windows"
  rm -rf "$home" "$folder/panda"
  mkdir -p "$home/Lib" "$folder/panda"
  "${pip[@]}" download --no-deps "${platform[@]}" --dest "$folder" 'panda3d==1.10.16'
  "$python" -m zipfile -e "$folder"/panda3d-*.whl "$folder/panda"
  mv "$folder"/panda/deploy_libs/* "$home"
  rm -rf "$folder/panda"
  cp -r "$modules/." "$home/Lib"
  rm -rf "$home"/Lib/{lib-dynload,site-packages,dist-packages,sitecustomize.py}
  cat >"$folder/python.c" <<END
#include <windows.h>
int wmain(int argc, wchar_t** argv) {
  HMODULE const library = LoadLibraryW(L"python311.dll");
  return library == NULL ? 1 : ((int (*)(int, wchar_t**))(void*)GetProcAddress(library, "Py_Main"))(argc, argv);
}
END
  x86_64-w64-mingw32-gcc-posix -municode -O1 "$folder/python.c" -o "$home/python.exe"
}

# wide PATH: the same path for Windows.
wide() { echo "Z:${1//\//\\}"; }

make_python
heading "Installing"
"${pip[@]}" install --no-compile "${platform[@]}" --target "$site" --upgrade --find-links "$wheels" \
  'numpy<2' 'kauriboost[pandas,sklearn,sparse]' 2>"$folder/log" || give_up "$(cat "$folder/log")"
# pip takes a version that is there for the same wheel, however old.
"${pip[@]}" install --no-compile "${platform[@]}" --target "$site" --upgrade --force-reinstall --no-deps \
  "${wheel[0]}"
cp "$KAURI_ROOT/tests/python/wheel_session.py" "$site"
((${#arguments[@]})) || arguments=("$(wide "$site/wheel_session.py")" "$(wide "$site")")

heading "Running"
# This Python takes pipes for its standard streams, and not every file.
env -u KAURI_LIBRARY "WINEPREFIX=$folder/wine" WINEDEBUG=-all "PYTHONHOME=$(wide "$home")" "PYTHONPATH=$(wide "$site")" \
  /usr/lib/wine/wine64 "$home/python.exe" "${arguments[@]}" </dev/null 2>&1 | cat
