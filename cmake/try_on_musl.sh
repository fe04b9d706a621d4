#!/usr/bin/env bash
# Installs a wheel for musl beside a Python for musl, and trains, predicts and explains there.
#
#   cmake/try_on_musl.sh FOLDER [aarch64]     FOLDER: what cmake/wheels.sh --for made; aarch64: under qemu
#
# Debian has no Python for musl, so the compiler of cmake/cross.sh compiles CPython 3.11 from Debian's sources into
# build-cross/musl-python-PROCESSOR. That needs a Python 3.11 here. PyPI has no scikit-learn for musl. NumPy has version
# 1: the newer ones' libraries need musl 1.2.4, and Debian 12 has 1.2.3.
set -euo pipefail
KAURI_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$KAURI_ROOT/cmake/setup.sh"
case ${1:--h} in -*) sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" && exit ;; esac
wheels=$(cd "$1" && pwd)
processor=${2:-x86_64}
target=$processor-linux-musl
cross=$KAURI_ROOT/build-cross/$target
folder=$KAURI_ROOT/build-cross/musl-python-$processor
sources=$KAURI_ROOT/build-cross/python-sources
site=$folder/site
here=${KAURI_PYTHON:-$KAURI_ROOT/.venv/bin/python}
here=$("$here" -c 'import sys; print(sys.executable if sys.version_info[:2] == (3, 11) else "")')
[[ -n $here ]] || give_up "no Python 3.11 is at hand; set KAURI_PYTHON"
case $processor in
  x86_64) require_debian_packages musl && runner=() ;;
  aarch64) require_debian_packages arm && runner=(qemu-aarch64 -L "$cross/root") ;;
  *) give_up "unknown processor '$processor'" ;;
esac
[[ -e $cross/prefix/complete ]] || give_up "cmake/wheels.sh --for $target comes first"

# in_folder NAME COMMAND...: runs it in $folder/NAME, with the compiler and the libraries of the target.
in_folder() {
  mkdir -p "$folder/$1"
  (cd "$folder/$1" && env CC="$cross/tools/cc" AR="$cross/tools/ar" RANLIB="$cross/tools/ranlib" \
    READELF=/usr/bin/readelf CPPFLAGS="-I$folder/ffi/include -I$cross/prefix/include" LDFLAGS="-L$folder/ffi/lib -L$cross/prefix/lib" \
    "${@:2}" >>"$folder/log" 2>&1) || give_up "$(tail -n 20 "$folder/log")"
}

# compile_python: $folder/python/python, which runs where it was built.
compile_python() {
  local python libffi options setup extensions
  [[ -e $folder/complete ]] && return
  unpack_debian_sources "$sources" python3.11 libffi
  heading "Compiling Python ($processor)"
  rm -rf "$folder" && mkdir -p "$folder"
  python=$(echo "$sources"/Python-3.11*) libffi=$(echo "$sources"/libffi-*/)
  setup=$python/setup.py
  grep -q 'return  # not the headers of this machine' "$setup" || sed -i \
    's/^    def add_\(multiarch\|cross_compiling\)_paths(self):/&\n        return  # not the headers of this machine/' "$setup"
  options=(--quiet --host="$target" --build="$(uname -m)-linux-gnu")
  in_folder libffi "$libffi/configure" "${options[@]}" --prefix="$folder/ffi" --libdir="$folder/ffi/lib" --with-pic \
    --disable-shared --disable-docs --disable-exec-static-tramp
  in_folder libffi make -s "-j$(nproc)" install
  # musl 1.2.3 lacks two functions that Zig's musl has.
  in_folder python env ac_cv_file__dev_ptmx=yes ac_cv_file__dev_ptc=no ac_cv_func_preadv2=no ac_cv_func_pwritev2=no \
    "$python/configure" "${options[@]}" --with-build-python="$here" --with-ensurepip=no --with-system-ffi --disable-ipv6
  # Python takes every Linux for one with glibc, and this one for extension modules of the Python here.
  sed -i -e '/^\(MULTIARCH\|SOABI\|EXT_SUFFIX\|MULTIARCH_CPPFLAGS\)/s/linux-gnu/linux-musl/' \
    -e 's/^OPENSSL_INCLUDES=.*/OPENSSL_INCLUDES=/' "$folder/python/Makefile"
  in_folder python make -s "-j$(nproc)" OPT='-O1 -DNDEBUG -w -Wno-date-time -fPIC' \
    LINKFORSHARED='-pie -Wl,--export-dynamic'
  extensions=("$folder"/python/build/lib.linux-*)
  in_folder python "$cross/tools/cc" -shared -fPIC -w -I "$python/Include" -I "$python/Include/internal" -I . \
    -I "$cross/prefix/include" "$python/Modules/zlibmodule.c" -L "$cross/prefix/lib" -lz \
    -o "${extensions[0]}/zlib.cpython-311-$target.so"
  touch "$folder/complete"
}

compile_python
heading "Installing ($processor)"
rm -rf "$site" && mkdir -p "$site"
"$here" -m pip install --quiet --disable-pip-version-check --no-compile --only-binary=:all: --python-version 3.11 \
  --implementation cp --platform "musllinux_1_2_$processor" --platform "musllinux_1_1_$processor" --target "$site" \
  --find-links "$wheels" 'numpy<2' kauriboost 2>"$folder/pip-log" || give_up "$(cat "$folder/pip-log")"
cp "$KAURI_ROOT/tests/python/wheel_session.py" "$site"

heading "Running ($processor)"
env -u KAURI_LIBRARY PYTHONPATH="$site" "${runner[@]}" "$folder/python/python" "$site/wheel_session.py" "$site" core
