#!/usr/bin/env bash
# Builds Kauri for WebAssembly, into build-wasm/bin: kauri.wasm, which exports the C ABI, and beside it kauri.mjs, its
# JavaScript module. One thread; files and the clock as WASI has them.
#
#   cmake/wasm.sh [TARGET...]     TARGET: model_checksums, for one; kauri_wasm by default
#
# Zig compiles; nothing of Emscripten is needed. Zig's C++ library for WebAssembly has neither exceptions nor mutexes, so
# its sources are compiled here with both: a mutex of one thread. Zig compiles its C library at the first use.
set -euo pipefail
KAURI_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$KAURI_ROOT/cmake/setup.sh"
case ${1:-} in -*) sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" && exit ;; esac
targets=("$@")
((${#targets[@]})) || targets=(kauri_wasm)
build=$KAURI_ROOT/build-wasm
prefix=$build/prefix
tools=$build/tools
sources=$KAURI_ROOT/build-cross/sources  # as cmake/cross.sh
python=${KAURI_PYTHON:-$KAURI_ROOT/.venv/bin/python}

# make_tool NAME COMMAND...: a program that calls the command. It is written once: a new time would make ccache forget.
# c++ links the C++ library of make_libraries instead of Zig's, which CMake's first question would compile.
make_tool() {
  local text="#!/bin/sh"$'\n'
  if [[ $1 == c++ ]]; then
    text+="case \" \$* \" in *' -c '* | *' -E '*) ;; *) set -- \"\$@\" -nostdlib++ $prefix/lib/libc++.a ;; esac"$'\n'
  fi
  text+="exec ${*:2} \"\$@\""
  [[ -e $tools/$1 && $(<"$tools/$1") == "$text" ]] || echo "$text" >"$tools/$1"
  chmod +x "$tools/$1"
}

# make_tools: the compiler. All browsers since 2022 and Node.js since 17 have what the processor is said to have.
make_tools() {
  local for_wasm=(-target wasm32-wasi -mcpu=generic+exception_handling+simd128 -fwasm-exceptions -mllvm -wasm-enable-eh
    -fno-sanitize=all -g0)
  [[ -n ${KAURI_PYTHON:-} ]] || require_venv "$KAURI_ROOT/cmake/wheel-requirements.txt"
  zig=$("$python" -c 'import pathlib, ziglang; print(pathlib.Path(ziglang.__file__).parent)')
  mkdir -p "$tools" "$prefix/lib/pkgconfig" "$prefix/include"
  make_tool cc "$zig/zig" cc "${for_wasm[@]}"
  make_tool c++ "$zig/zig" c++ "${for_wasm[@]}" -D_LIBCPP_HAS_THREADS=1 -D_LIBCPP_HAS_FILESYSTEM=1 -Wno-macro-redefined
  make_tool ar "$zig/zig" ar
  make_tool ranlib "$zig/zig" ranlib
  # CMake does not know the system.
  mkdir -p "$build/cmake/Platform"
  printf 'set(CMAKE_EXECUTABLE_SUFFIX .wasm)\nset(CMAKE_DL_LIBS "")\n' >"$build/cmake/Platform/WASI.cmake"
  cat >"$build/toolchain.cmake" <<END
set(CMAKE_SYSTEM_NAME WASI)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER "$tools/cc")
set(CMAKE_CXX_COMPILER "$tools/c++")
set(CMAKE_AR "$tools/ar")
set(CMAKE_RANLIB "$tools/ranlib")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_HAVE_LIBC_PTHREAD TRUE)
list(APPEND CMAKE_MODULE_PATH "$build/cmake")
set(CMAKE_FIND_ROOT_PATH "$prefix")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} "$prefix/lib/pkgconfig")
END
}

# compile_source OBJECTS SOURCE: one file of the libraries, into the folder OBJECTS.
compile_source() {
  local with=("$tools/c++" -std=c++23) flags=() object
  case $2 in
    */highway-*) with=("$tools/c++" -std=c++17) flags=(-DHWY_DISABLED_TARGETS=HWY_WASM -I "$prefix/include") ;;
    *.[cs]) with=("$tools/cc") ;;&
    */libunwind/*) flags=(-D_LIBUNWIND_HIDE_SYMBOLS -D_LIBUNWIND_HAS_NO_THREADS -I "$zig/lib/libunwind/include") ;;
    */cxa_thread_atexit.cpp) flags=(-D__linux__) ;;&  # the file is empty for other systems
    */libcxxabi/*) flags+=(-D_LIBCXXABI_BUILDING_LIBRARY -D_LIBCPP_ENABLE_CXX17_REMOVED_UNEXPECTED_FUNCTIONS
      -I "$zig/lib/libcxx/src") ;;
    */libcxx/*) flags=(-D_LIBCPP_BUILDING_LIBRARY -DLIBCXX_BUILDING_LIBCXXABI -I "$zig/lib/libcxx/src"
      -I "$zig/lib/libcxx/src/include" -I "$zig/lib/libcxx/libc") ;;
  esac
  [[ $2 != */operations.cpp ]] || flags+=(-D_LIBCPP_HAS_MUSL_LIBC=0)  # WASI has no copy_file_range of musl
  object=$1/$(tr / _ <<<"${2##*/lib/}").o
  [[ -e $object ]] || "${with[@]}" "${flags[@]}" -O2 -w -c "$2" -o "$object"
}

# compile_library NAME SOURCE...: $prefix/lib/libNAME.a
compile_library() {
  export zig tools prefix
  export -f compile_source
  mkdir -p "$build/objects/$1"
  printf '%s\0' "${@:2}" | xargs -0 -P "$(nproc)" -I{} bash -e -c 'compile_source "$0" "$1"' "$build/objects/$1" {}
  "$tools/ar" rcs "$prefix/lib/lib$1.a" "$build/objects/$1"/*.o
}

# make_libraries: Debian's headers of what Kauri uses, and the libraries compiled for WebAssembly.
make_libraries() {
  local zlib cxx=$zig/lib/libcxx/src
  [[ -e $prefix/complete ]] && return
  mkdir -p "$build/objects"
  heading "Compiling Highway, zlib and the C++ library (WebAssembly)"
  cp -r /usr/include/{dmlc,nlohmann,hwy} "$prefix/include"
  cp -r /usr/share/cmake/nlohmann_json "$prefix/lib"
  zlib=$(echo "$sources"/zlib-*/)
  cp "$zlib"/{zlib,zconf}.h "$prefix/include"
  compile_library hwy "$sources"/highway-*/hwy/{targets,aligned_allocator}.cc
  compile_library z "$zlib"/{adler32,crc32,inffast,inflate,inftrees,zutil}.c
  # The tag of C++ exceptions, which the linker does not define.
  printf '.tagtype __cpp_exception i32\n.globl __cpp_exception\n__cpp_exception:\n' >"$build/objects/cpp_exception.s"
  compile_library c++ "$build/objects/cpp_exception.s" "$zig/lib/libunwind/src/Unwind-wasm.c" \
    "$zig"/lib/libcxxabi/src/{abort_message,cxa_aux_runtime,cxa_default_handlers,cxa_exception,cxa_exception_storage}.cpp \
    "$zig"/lib/libcxxabi/src/{cxa_demangle,cxa_guard,cxa_handlers,cxa_personality,cxa_thread_atexit,cxa_vector,cxa_virtual}.cpp \
    "$zig"/lib/libcxxabi/src/{fallback_malloc,private_typeinfo,stdlib_exception,stdlib_new_delete}.cpp \
    "$zig"/lib/libcxxabi/src/{stdlib_stdexcept,stdlib_typeinfo}.cpp \
    "$cxx"/{algorithm,any,atomic,bind,call_once,charconv,chrono,condition_variable,error_category,exception,fstream}.cpp \
    "$cxx"/{functional,future,hash,ios,ios.instantiations,iostream,locale,memory,memory_resource,mutex,new}.cpp \
    "$cxx"/{new_handler,new_helpers,optional,ostream,stdexcept,string,system_error,thread,typeinfo,valarray,variant}.cpp \
    "$cxx"/{condition_variable_destructor,mutex_destructor,vector,verbose_abort}.cpp "$cxx"/ryu/*.cpp \
    "$cxx"/filesystem/{directory_entry,directory_iterator,filesystem_clock,filesystem_error,operations,path}.cpp
  printf 'Name: hwy\nDescription: Highway\nVersion: 1\nCflags: -I%s\nLibs: -L%s -lhwy\n' "$prefix/include" "$prefix/lib" \
    >"$prefix/lib/pkgconfig/libhwy.pc"
  touch "$prefix/complete"
}

require_debian_packages build
mkdir -p "$build"
make_tools
unpack_library_sources "$sources"
make_libraries
heading "Building (WebAssembly)"
cd "$KAURI_ROOT"
cmake -G Ninja -S . -B "$build" -DCMAKE_TOOLCHAIN_FILE="$build/toolchain.cmake" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_BUILD_TYPE="${KAURI_WASM_TYPE:-Release}" -DKAURI_THREADS=none \
  -DKAURI_CUDA=OFF -DKAURI_OPENMP=OFF -DKAURI_UNITS=ON -DKAURI_WITHIN=ON -DKAURI_TESTS=OFF >"$build/cmake.log" 2>&1 \
  || give_up "$(cat "$build/cmake.log")"
cmake --build "$build" --parallel "$(nproc)" --target "${targets[@]}"
