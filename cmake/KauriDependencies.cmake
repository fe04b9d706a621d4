# Everything comes from Debian's packages; tests/run and demo/quickstart install what is missing.
if(KAURI_OPENMP AND NOT KAURI_SANITIZE MATCHES "thread")  # ThreadSanitizer does not understand its threads
  find_package(OpenMP COMPONENTS CXX)
  if(KAURI_OPENMP STREQUAL "ON" AND NOT OpenMP_CXX_FOUND)
    message(FATAL_ERROR "KAURI_OPENMP is ON, but the compiler has no OpenMP; AUTO leaves it out then.")
  endif()
endif()
find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy)
find_package(ZLIB REQUIRED)
find_path(DMLC_INCLUDE_DIR dmlc/parameter.h REQUIRED)

add_library(kauri_dmlc INTERFACE)
# Its headers alone. As a system include: they do not pass our warnings.
target_include_directories(kauri_dmlc SYSTEM INTERFACE "${DMLC_INCLUDE_DIR}")
# Its logging looks for the stack of a failed check, where the C library can tell it; musl cannot.
include(CheckIncludeFileCXX)
check_include_file_cxx(execinfo.h KAURI_HAS_EXECINFO)
if(NOT KAURI_HAS_EXECINFO)
  target_compile_definitions(kauri_dmlc INTERFACE DMLC_LOG_STACK_TRACE=0)
endif()
