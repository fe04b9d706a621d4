/// \file Facts about all batches that are needed before their bins can be made: the number of rows and of missing
/// values, the metadata of the rows, the categories that occur, and the cuts.
///
/// The cuts are the same as for one array with all rows, in a group with the rows of all ranks. Values of columns are
/// kept as long as they take no more than kept_bytes and the budget; the other columns take further passes over the
/// batches:
/// 1. In memory, the columns of a further pass may take as much memory as the bins will. This needs five passes at
///    most, or more if a budget is small.
/// 2. For a file, where passes may be slow, the cuts come from weighted GK summaries of parts of equal length instead
///    if all values take more than kept_bytes (data/batches/row_source.h). The summaries do not depend on the batches.
///    The budget changes neither the cuts nor the model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/batches/row_source.h"
#include "data/bins/bin_matrix.h"
#include "data/bins/row_digest.h"
#include "data/memory_budget.h"
#include "data/sketch/sketch_cuts.h"

namespace kauri {

/// Default memory limit of the values that are kept for exact cuts.
constexpr std::int64_t kKeptBytes = 1 << 28;

/// The source of the cuts.
struct CutPlan {
  int max_bin = 0;
  QuantileCuts const* given = nullptr;
  MetaInfo const* like = nullptr;  ///< metadata of the data that the given cuts come from
  bool in_file = false;
  MemoryBudget budget;
  std::int64_t kept_bytes = kKeptBytes;
};

/// Summary of the batches of one process, or of one rank of a group.
struct BatchSummary {
  MetaInfo info;               ///< local rows
  std::int64_t n_entries = 0;  ///< present values of the local rows
  std::optional<RowDigest> digest;
  std::int64_t n_rows = 0;            ///< rows of all ranks; the following members cover all ranks, too
  std::vector<FeatureCuts> features;  ///< with cuts unless they were given
  CategoryLists categories;
  bool has_sparse = false;  ///< some batch came as compressed rows

  /// Replaces the local counts by the counts over all ranks.
  void JoinRanks(Context const& ctx);
  /// Returns the shape of the local rows in the layout agreed by all ranks.
  BinShape Shape() const;
};

bool IsSparse(DataView const& rows);

/// Returns the joined metadata of all batches.
MetaInfo JoinBatches(std::vector<MetaInfo> const& infos);

/// Calls fn(batch) for all batches.
template <typename Fn>
void ForEachBatch(Context const& ctx, RowSource* source, Fn&& fn) {
  source->Restart();
  for (RowBatch batch; source->Next(ctx, &batch); batch = {}) fn(&batch);
}

/// Runs the first pass, and further ones if the cuts need them. \throws Error(kData) for no batch, batches that
/// disagree, and rows that differ in a further pass; Error(kMemory) if the budget is too small; Error(kCollective) as
/// RequireSameColumns does. In a group each rank passes at least one batch, possibly without rows.
BatchSummary SummariseBatches(Context const& ctx, RowSource* source, CutPlan const& plan);

}  // namespace kauri
