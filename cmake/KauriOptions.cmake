# Compiler settings for every target.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g")  # what the sanitizers run on: with assertions
set(CMAKE_CXX_FLAGS_QUICK "-O1 -DNDEBUG")  # programs that are built for their tests (cmake/cross.sh)
find_program(KAURI_CCACHE ccache)
if(KAURI_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${KAURI_CCACHE}" CACHE STRING "")
  set(CMAKE_CUDA_COMPILER_LAUNCHER "${KAURI_CCACHE}" CACHE STRING "")
endif()

set(kauri_shadow -Wshadow)
if(KAURI_UNITS)  # a constant of one file would shadow that of a function in another
  set(kauri_shadow)
endif()
set(kauri_mistaken)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION MATCHES "^12\\.")
  # GCC 12 takes the assignment of a short literal to a std::string for a copy onto itself (GCC bug 105651).
  set(kauri_mistaken -Wno-restrict)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  # GCC 13 sees such accesses in its own std::variant and std::vector, and takes a reference to a member of one argument
  # for one to another argument, which is a temporary.
  set(kauri_mistaken -Wno-array-bounds -Wno-stringop-overflow -Wno-dangling-reference)
endif()
add_library(kauri_options INTERFACE)
# Contraction off: a fused multiply-add would give other bits on machines that have it (design D5).
# Trapping math off: lets selects become vector code; no value changes, only exception flags that nothing reads.
target_compile_options(kauri_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic ${kauri_shadow} ${kauri_mistaken} -Werror -ffp-contract=off
  -fno-trapping-math>)
target_include_directories(kauri_options INTERFACE
  "${CMAKE_SOURCE_DIR}/include" "${CMAKE_SOURCE_DIR}/src" "${CMAKE_BINARY_DIR}/include")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  # NEON alone, which all of them have, by Highway's own switch for "no choice at run time": vectors of SVE, whose length
  # a compiler does not know, cannot be in structs and arrays as ours are.
  target_compile_definitions(kauri_options INTERFACE TOOLCHAIN_MISS_SYS_AUXV_H)
  # GCC tells how it passed empty bases before its version 10.
  target_compile_options(kauri_options INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-psabi>)
endif()
if(CMAKE_SYSTEM_NAME STREQUAL "WASI")
  # Highway's vectors of WebAssembly have no float64. Its vectors for any machine become WebAssembly's by the compiler.
  target_compile_definitions(kauri_options INTERFACE HWY_DISABLED_TARGETS=HWY_WASM)
endif()
if(WIN32)
  # Windows 10 and its headers without macros of common names. Programs contain the compiler's libraries.
  target_compile_definitions(kauri_options INTERFACE _WIN32_WINNT=0x0A00 NOMINMAX WIN32_LEAN_AND_MEAN _CRT_RAND_S)
  # GCC aligns the stack to 16 bytes there and yet takes its vectors of 32 for aligned (GCC bug 54412).
  target_compile_options(kauri_options INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wa,-muse-unaligned-vector-move>)
  target_link_libraries(kauri_options INTERFACE synchronization ws2_32)
  target_link_options(kauri_options INTERFACE -static)
endif()
if(KAURI_SANITIZE)
  add_compile_options(-fsanitize=${KAURI_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  # GCC warns of uninitialised values where only its instrumentation reads them.
  # Following variables through optimised code is half of the time that instrumented vector code compiles.
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized> $<$<CXX_COMPILER_ID:GNU>:-fno-var-tracking>)
  add_link_options(-fsanitize=${KAURI_SANITIZE})
endif()
if((KAURI_SANITIZE OR KAURI_FUZZ OR CMAKE_BUILD_TYPE STREQUAL "Quick") AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  # Instrumented vector code compiles slowly, and Highway compiles it once for each kind of processor: AVX2 and what any
  # machine has are enough to look for faults in memory, and for quick builds.
  add_compile_definitions("HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_SSE4|HWY_AVX3|HWY_AVX3_DL)")
endif()
if(KAURI_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(KAURI_ASSERTIONS OR KAURI_SANITIZE OR KAURI_FUZZ)
  # Indices past the end of a vector are caught even where memory goes on. Device code has no such assertions.
  add_compile_definitions($<$<COMPILE_LANGUAGE:CXX>:_GLIBCXX_ASSERTIONS>)
endif()
