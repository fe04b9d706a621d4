/// \file Code shared by all calls that create a DMatrix.
///
/// Iterator is one of the caller's iterators, which fill a proxy batch by batch.
#pragma once

#include <limits>
#include <memory>
#include <utility>

#include "c_api/global.h"
#include "c_api/handles.h"
#include "c_api/json_config.h"
#include "data/batches/row_source.h"
#include "data/bins/bin_store_maker.h"
#include "kauri/c_api.h"
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

/// An iterator of the caller. Keep it, with a HandleUse of `proxy`, while batches are requested.
struct Iterator {
  DataIterHandle handle;
  DataHandle* proxy;
  DataIterResetCallback* reset;
  XGDMatrixCallbackNext* next;
};

/// Checks the parts of an iterator. \throws Error(kParameter) for null functions and for a handle that is not a proxy.
Iterator IteratorOf(DataIterHandle handle, DMatrixHandle proxy, DataIterResetCallback* reset,
                    XGDMatrixCallbackNext* next);

/// Copies all batches to memory. \throws Error(kData) as Concatenate does, and for a batch without data.
std::unique_ptr<DataMatrix> CopyBatches(Iterator const& iterator, CreateConfig const& settings);

/// Returns the batches without copying them; only arrays in device memory and Arrow tables are copied, one by one.
/// may_wait: whether a batch may come before its labels and before a look for infinite values (RowBatch).
std::unique_ptr<RowSource> SourceOf(Iterator const& iterator, float missing, bool may_wait);

}  // namespace kauri::c_api
