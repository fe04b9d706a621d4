/// \file Makes matrices of bins from rows that come batch by batch, without holding their values.
///
/// 1. The first pass counts rows and missing values, joins labels and other metadata, and makes the cuts, so that the
///    division of the rows into batches does not matter (data/bins/first_pass.h).
/// 2. The last pass writes the codes, to memory or to a file.
/// Unless the caller knows the number of batches, the maker first reads two of them: a single batch that stays in
/// memory is read once. The ranks of a group take both passes together, each over its own batches, and get one layout
/// of bins. If `like` has names for its categories, batches get the same numbers for the same names.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "data/batches/row_source.h"
#include "data/bins/bin_store.h"
#include "data/bins/first_pass.h"
#include "data/memory_budget.h"

namespace kauri {

constexpr int kDefaultBins = 256;

/// \throws Error(kParameter) for a max_bin that no matrix can have.
void RequireMaxBin(int max_bin);

/// The type of DeviceMemory::MakeBins.
using DeviceBinMaker = std::function<CodedRows(Context const& ctx, DeviceBatches const& rows, BinRequest const&)>;

struct BinStoreOptions {
  std::optional<int> max_bin;        ///< default: max_bin of `like`, or kDefaultBins
  DataMatrix const* like = nullptr;  ///< source of the cuts, which are made for it if it stores values; may be null
  bool is_one_batch = false;         ///< true if the caller knows that there is one batch; otherwise the maker checks
  DeviceBinMaker make_on_device;     ///< encodes batches in device memory; null: the host encodes them
  std::optional<int> device;         ///< the device that encodes a single batch of host rows; none: the host does
  bool in_file = false;
  std::string file_prefix;               ///< see PageFile
  bool for_approx = false;               ///< see BinFile
  MemoryBudget budget;                   ///< budget of making the file and of training on it
  std::int64_t kept_bytes = kKeptBytes;  ///< see first_pass.h; smaller in tests
};

/// Makes the matrix. Memory besides the codes: values as described in first_pass.h, and a few parts; for one batch and
/// a matrix in memory, a float32 copy of it unless it is contiguous float32. \throws Error(kData) for no batch, batches
/// that disagree, rows that differ in the second pass, and another number of columns than `like` has; Error(kParameter)
/// for another max_bin than the one of `like`; Error(kMemory) if the budget is too small; Error(kIo). In a group it
/// also throws for a file, and as RequireSameColumns does.
std::unique_ptr<DataMatrix> MakeBinnedMatrix(Context const& ctx, RowSource* source, BinStoreOptions const& options);

}  // namespace kauri
