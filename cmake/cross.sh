#!/usr/bin/env bash
# Builds programs of Kauri for another system on Debian, into build-cross/TARGET, and runs the tests among them.
#
#   cmake/cross.sh TARGET [PROGRAM...]     PROGRAM: of tests/cpp, test_platform by default; kauri, kauri_cli; or all
#
#   KAURI_CROSS_TYPE=Quick: for the tests alone; the compiler optimises less, for a third of the time.
#   ctest --test-dir build-cross/TARGET: runs the tests of what is built once more.
#
#   TARGET                 compiler     run by
#   x86_64-linux-musl      Zig          this machine, with musl's loader
#   aarch64-linux-musl     Zig          qemu
#   aarch64-linux-gnu      Zig          qemu; for glibc 2.28 and later
#   x86_64-windows-gnu     mingw-w64    wine
#   aarch64-macos          Zig          nothing: what compiles and links is untested
#   x86_64-macos           Zig          nothing
#   wasm32-wasi            Zig          Node.js, by tests/python; cmake/wasm.sh does it, whose TARGETs are the PROGRAMs
#
# Zig compiles its C and C++ libraries at the first use of a target, which takes several minutes. cmake/aarch64.sh
# builds for 64-bit Arm with GCC.
set -euo pipefail
KAURI_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$KAURI_ROOT/cmake/setup.sh"
case ${1:--h} in -*) sed -n '2,19s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" && exit ;; esac
target=$1 programs=("${@:2}")
[[ $target != wasm32-wasi ]] || exec "$KAURI_ROOT/cmake/wasm.sh" "${programs[@]}"
((${#programs[@]})) || programs=(test_platform)
build=$KAURI_ROOT/build-cross/$target
prefix=$build/prefix
tools=$build/tools
sources=$KAURI_ROOT/build-cross/sources
python=${KAURI_PYTHON:-$KAURI_ROOT/.venv/bin/python}

case $target in
  x86_64-linux-musl) system=Linux compiler=zig runner='' ;;
  aarch64-linux-musl | aarch64-linux-gnu) system=Linux compiler=zig runner="qemu-aarch64 -L $build/root" ;;
  x86_64-windows-gnu) system=Windows compiler=mingw runner=$tools/run ;;
  aarch64-macos | x86_64-macos) system=Darwin compiler=zig runner=none ;;
  *) give_up "unknown target '$target'; cmake/cross.sh --help lists what there is" ;;
esac
cc=$tools/cc cxx=$tools/c++ ar=$tools/ar

# write_tool NAME TEXT: a program of the shell. It is written once: a new time would make ccache forget.
write_tool() {
  local text="#!/bin/sh"$'\n'"$2"
  [[ -e $tools/$1 && $(<"$tools/$1") == "$text" ]] || echo "$text" >"$tools/$1"
  chmod +x "$tools/$1"
}

# make_tool NAME COMMAND...: a program that calls the command.
make_tool() { write_tool "$1" "exec ${*:2} \"\$@\""; }

# make_zig_tool NAME COMMAND...: a compiler of Zig's. Programs for Linux are linked without symbols, and with a shared C
# library: Zig links programs for musl statically unless it is told otherwise, and then they could load no plug-in. Every
# link has the same options, because Zig compiles its C++ library again for others.
make_zig_tool() {
  local command="${*:2} -target ${target/%-gnu/-gnu.2.28} -fno-sanitize=all" linking=''
  [[ $target != *-linux-* ]] || linking=' -s -dynamic'
  write_tool "$1" "case \" \$* \" in *\" -c \"*) exec $command \"\$@\" ;; esac"$'\n'"exec $command$linking \"\$@\""
}

# make_compiler: the compiler under names that are the same for every target.
make_compiler() {
  local zig triple=x86_64-w64-mingw32
  mkdir -p "$tools"
  if [[ $compiler == zig ]]; then
    [[ -n ${KAURI_PYTHON:-} ]] || require_venv "$KAURI_ROOT/cmake/wheel-requirements.txt"
    zig=$("$python" -c 'import pathlib, ziglang; print(pathlib.Path(ziglang.__file__).parent / "zig")')
    make_zig_tool cc "$zig" cc
    make_zig_tool c++ "$zig" c++
    make_tool ar "$zig" ar
    make_tool ranlib "$zig" ranlib
    make_tool install_name_tool false  # CMake wants to know one for macOS, and does not call it
  else
    require_debian_packages windows
    make_tool cc $triple-gcc-posix
    make_tool c++ $triple-g++-posix
    make_tool ar $triple-gcc-ar-posix
    make_tool ranlib $triple-gcc-ranlib-posix
    make_tool strip $triple-strip
    make_tool run env "WINEPREFIX=$build/wine" WINEDEBUG=-all /usr/lib/wine/wine64
  fi
}

# make_toolchain: what CMake must know of the target.
make_toolchain() {
  cat >"$build/toolchain.cmake" <<END
set(CMAKE_SYSTEM_NAME $system)
set(CMAKE_SYSTEM_PROCESSOR ${target%%-*})
set(CMAKE_C_COMPILER "$cc")
set(CMAKE_CXX_COMPILER "$cxx")
set(CMAKE_AR "$ar")
set(CMAKE_RANLIB "$tools/ranlib")
set(CMAKE_STRIP "$tools/strip")
set(CMAKE_INSTALL_NAME_TOOL "$tools/install_name_tool")
set(CMAKE_FIND_ROOT_PATH "$prefix")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} "$prefix/lib/pkgconfig")
END
  [[ -z $runner || $runner == none ]] || echo "set(CMAKE_CROSSCOMPILING_EMULATOR ${runner// /;})" >>"$build/toolchain.cmake"
}

# compile_library NAME SOURCE...: $prefix/lib/libNAME.a
compile_library() {
  local source with objects=()
  mkdir -p "$build/objects/$1"
  for source in "${@:2}"; do
    with=$cxx
    [[ $source != *.c ]] || with=$cc
    objects+=("$build/objects/$1/$(basename "$source").o")
    # zlib 1.2.13 takes macOS for the Mac OS of 1999, which has no fdopen.
    "$with" -O2 -fPIC -w -Dfdopen=fdopen -I "$prefix/include" -I "$(dirname "$source")/.." -c "$source" -o "${objects[-1]}"
  done
  "$ar" rcs "$prefix/lib/lib$1.a" "${objects[@]}"
}

# make_libraries: Debian's headers of what Kauri uses, and the libraries among them compiled for the target.
make_libraries() {
  local googletest=/usr/src/googletest/googletest zlib
  [[ -e $prefix/complete ]] && return
  heading "Compiling Highway, zlib and GoogleTest ($target)"
  rm -rf "$prefix" && mkdir -p "$prefix/include" "$prefix/lib/pkgconfig"
  cp -r /usr/include/{dmlc,nlohmann,hwy,gtest} "$prefix/include"
  cp -r /usr/share/cmake/nlohmann_json "$prefix/lib"
  zlib=$(echo "$sources"/zlib-*/)
  cp "$zlib"/{zlib,zconf}.h "$prefix/include"
  compile_library z "$zlib"/{adler32,crc32,deflate,inffast,inflate,inftrees,trees,zutil}.c
  compile_library hwy "$sources"/highway-*/hwy/{targets,per_target,aligned_allocator}.cc
  compile_library gtest $googletest/src/gtest-all.cc
  compile_library gtest_main $googletest/src/gtest_main.cc
  printf 'Name: hwy\nDescription: Highway\nVersion: 1\nCflags: -I%s\nLibs: -L%s -lhwy\n' "$prefix/include" "$prefix/lib" \
    >"$prefix/lib/pkgconfig/libhwy.pc"
  touch "$prefix/complete"
}

require_debian_packages build test
case $target in
  x86_64-linux-musl) require_debian_packages musl ;;
  aarch64-linux-gnu) require_debian_packages arm && unpack_debian_packages bullseye arm64 "$build" libc6 ;;
  aarch64-linux-musl) require_debian_packages arm && unpack_debian_packages bookworm arm64 "$build" musl ;;
esac
mkdir -p "$build"
unpack_library_sources "$sources"
make_compiler
make_libraries
make_toolchain
heading "Building ($target)"
cd "$KAURI_ROOT"
cmake -G Ninja -S . -B "$build" -DCMAKE_TOOLCHAIN_FILE="$build/toolchain.cmake" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_BUILD_TYPE="${KAURI_CROSS_TYPE:-Release}" \
  -DKAURI_CUDA=OFF -DKAURI_OPENMP=OFF -DKAURI_UNITS=ON -DKAURI_WITHIN=ON \
  -DCMAKE_GTEST_DISCOVER_TESTS_DISCOVERY_MODE=PRE_TEST >"$build/cmake.log" 2>&1 || give_up "$(cat "$build/cmake.log")"
cmake --build "$build" --parallel "$(nproc)" --target "${programs[@]}"
tests=()
for program in "${programs[@]}"; do
  [[ $program != test_* ]] || tests+=("^${program#test_}\$")
  [[ $program != all ]] || tests+=(.)
done
[[ $runner != none ]] && ((${#tests[@]})) || exit 0
heading "Tests ($target)"
ctest --test-dir "$build" --output-on-failure --no-tests=error --tests-regex "$(IFS='|' && echo "${tests[*]}")"
