/// \file What is found out of all batches before their bins can be made: how many rows and missing values there are,
/// what is known of the rows, which categories occur, and the cuts.
///
/// The cuts are those of one array with all rows, in a group those of all ranks. Columns are kept while they take no
/// more than kept_bytes and the budget; what does not fit takes further passes over the batches:
/// 1. In memory columns may take as much as the bins will in those: five passes at most, or more where a budget is
///    small.
/// 2. For a file, where passes may be slow, values of more than kept_bytes in all have cuts from weighted GK summaries
///    of parts of equal length instead (data/row_parts.h), which say the same for any batches. The budget changes
///    neither the cuts nor the model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "data/bins/row_digest.h"
#include "data/memory_budget.h"
#include "data/row_source.h"
#include "data/sketch/sketch_cuts.h"

namespace kauri {

/// Of values that are kept for exact cuts.
constexpr std::int64_t kKeptBytes = 1 << 28;

/// Where the cuts come from.
struct CutPlan {
  int max_bin = 0;
  QuantileCuts const* given = nullptr;
  MetaInfo const* like = nullptr;  ///< of the data that they come from
  bool in_file = false;
  MemoryBudget budget;
  std::int64_t kept_bytes = kKeptBytes;
};

/// Of one process, or of one rank of a group.
struct BatchSummary {
  MetaInfo info;               ///< of the rows here
  std::int64_t n_entries = 0;  ///< present values of the rows here
  std::optional<RowDigest> digest;
  std::int64_t n_rows = 0;            ///< of all ranks, as what follows
  std::vector<FeatureCuts> features;  ///< with cuts unless they were given
  CategoryLists categories;
  bool has_sparse = false;  ///< some batch came as compressed rows

  /// Makes counts of the rows here those of all ranks.
  void JoinRanks(Context const& ctx);
  /// Of the rows here, in the layout of all.
  BinShape Shape() const;
};

bool IsSparse(DataView const& rows);

/// Of all batches together.
MetaInfo JoinBatches(std::vector<MetaInfo> const& infos);

/// fn(batch) for all batches.
template <typename Fn>
void ForEachBatch(Context const& ctx, RowSource* source, Fn&& fn) {
  source->Restart();
  for (RowBatch batch; source->Next(ctx, &batch); batch = {}) fn(&batch);
}

/// \throws Error(kData) for no batch, batches that disagree, and rows that are not the same in a further pass;
/// Error(kMemory) when the budget is too small; Error(kCollective) as RequireSameColumns does. In a group each rank has
/// a batch at least, without rows perhaps.
BatchSummary SummariseBatches(Context const& ctx, RowSource* source, CutPlan const& plan);

}  // namespace kauri
