/// \file Matrices of bins from rows that come batch by batch, without holding their values.
///
/// 1. The first pass counts rows and missing values, joins labels and the like, and makes the cuts, so that how the
///    rows are cut into batches does not matter (data/bins/first_pass.h).
/// 2. The last pass writes the codes, to memory or to a file.
/// Whether there is one batch or more is found out beforehand, unless it is known, by asking for two: one that stays in
/// memory is read once. The ranks of a group take both passes together, each over its own batches, and get one layout
/// of bins. Where `like` has names for its categories, batches get the same numbers for the same names.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "data/bins/bin_store.h"
#include "data/bins/codes_on_device.h"
#include "data/bins/first_pass.h"
#include "data/memory_budget.h"
#include "data/row_source.h"

namespace kauri {

constexpr int kDefaultBins = 256;

/// \throws Error(kParameter) for a max_bin that no matrix can have.
void RequireMaxBin(int max_bin);

/// DeviceMemory::MakeBins.
using DeviceBinMaker = std::function<CodedRows(Context const& ctx, DeviceBatches const& rows, BinRequest const&)>;

struct BinStoreOptions {
  std::optional<int> max_bin;        ///< kDefaultBins, or that of `like`
  DataMatrix const* like = nullptr;  ///< whose cuts to take; made for it where it keeps values; may be null
  bool is_one_batch = false;         ///< whoever makes the source says so; otherwise it is found out
  DeviceBinMaker make_on_device;     ///< codes batches that are in device memory; null: the host does
  bool in_file = false;
  std::string file_prefix;               ///< see PageFile
  bool for_approx = false;               ///< see BinFile
  MemoryBudget budget;                   ///< of making the file, and of training on it
  std::int64_t kept_bytes = kKeptBytes;  ///< see first_pass.h; less in tests
};

/// Costs, besides the codes: values as first_pass.h says, and a few parts; of one batch for a matrix in memory, a
/// float32 copy of it unless it is contiguous float32. \throws Error(kData) for no batch, batches that disagree, rows
/// that are not the same in the second pass, another number of columns than `like` has; Error(kParameter) for another
/// max_bin than that of `like`; Error(kMemory) when the budget is too small; Error(kIo). In a group also for a file,
/// and as RequireSameColumns does.
std::unique_ptr<DataMatrix> MakeBinnedMatrix(Context const& ctx, RowSource* source, BinStoreOptions const& options);

}  // namespace kauri
