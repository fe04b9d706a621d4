/// \file The caller's iterators, which fill a proxy batch by batch.
#pragma once

#include <memory>

#include "c_api/data_create.h"
#include "data/row_source.h"
#include "kauri/c_api.h"

namespace kauri::c_api {

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
/// may_wait: whether a batch may come before its labels (RowBatch::finish_info).
std::unique_ptr<RowSource> SourceOf(Iterator const& iterator, float missing, bool may_wait);

}  // namespace kauri::c_api
