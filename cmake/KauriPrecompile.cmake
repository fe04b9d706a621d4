# KAURI_PRECOMPILE: most of the time of compiling from nothing goes into reading the same headers again and again. Read once,
# they make a first build three times as fast; but ccache cannot keep what was compiled so, and an edit of one of
# Kauri's headers below compiles everything again. So it is off where one develops.
set(KAURI_PRECOMPILED_HEADERS
  <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <cstdint> <cstring> <filesystem> <functional> <iostream>
  <limits> <map> <memory> <mutex> <numeric> <optional> <set> <sstream> <string> <string_view> <tuple> <type_traits>
  <utility> <variant> <vector>
  <dmlc/parameter.h> <nlohmann/json.hpp>
  "${CMAKE_SOURCE_DIR}/include/kauri/data_matrix.h" "${CMAKE_SOURCE_DIR}/include/kauri/model.h"
  "${CMAKE_SOURCE_DIR}/include/kauri/objective.h" "${CMAKE_SOURCE_DIR}/include/kauri/parameter.h"
  "${CMAKE_SOURCE_DIR}/include/kauri/predictor.h" "${CMAKE_SOURCE_DIR}/include/kauri/tree_builder.h")

# kauri_precompile(FIRST OTHER...): compiles these targets, which have the same settings, with the headers of the first one.
function(kauri_precompile first)
  if(NOT KAURI_PRECOMPILE)
    return()
  endif()
  target_precompile_headers(${first} PRIVATE ${KAURI_PRECOMPILED_HEADERS})
  foreach(target IN LISTS ARGN)
    target_precompile_headers(${target} REUSE_FROM ${first})
  endforeach()
endfunction()
