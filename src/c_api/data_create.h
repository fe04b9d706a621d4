/// \file Code shared by all calls that create a DMatrix.
#pragma once

#include <limits>
#include <memory>
#include <utility>

#include "c_api/global.h"
#include "c_api/handles.h"
#include "c_api/json_config.h"
#include "data/bins/bin_store_maker.h"
#include "kauri/error.h"

namespace kauri::c_api {

inline void ReturnData(std::unique_ptr<DataMatrix> matrix, DMatrixHandle* out) {
  *out = new DataHandle(std::move(matrix));
}

/// Converts a count from bst_ulong. \throws Error(kParameter) above int64.
inline std::int64_t CountOf(bst_ulong count, char const* name) {
  if (count > static_cast<bst_ulong>(std::numeric_limits<std::int64_t>::max())) {
    Fail(ErrorKind::kParameter, "argument '", name, "' is ", count, ", which no array can have; was it negative?");
  }
  return static_cast<std::int64_t>(count);
}

/// The two settings shared by all creators.
struct CreateConfig {
  CreateConfig(char const* text, char const* call) : CreateConfig(JsonConfig(text, call)) {}
  explicit CreateConfig(JsonConfig const& config)
      : missing(static_cast<float>(config.Number("missing"))), ctx(MakeContext(config.IntegerOr("nthread", 0))) {}
  float missing;
  Context ctx;
};

/// Reads the optional keys "max_bin" and "memory_budget".
BinStoreOptions BinOptionsOf(JsonConfig const& config);

}  // namespace kauri::c_api
