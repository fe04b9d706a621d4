#include "data/bins/first_pass.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "collective/reduce.h"
#include "collective/row_ranges.h"
#include "data/batches/chain.h"
#include "data/batches/concatenate.h"
#include "data/batches/row_source.h"
#include "data/categories/categories.h"
#include "data/matrix_view.h"
#include "data/meta_info.h"
#include "data/sketch/cut_weights.h"
#include "data/sketch/group_columns.h"
#include "data/sketch/group_cuts.h"
#include "data/sketch/sketch_cuts.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr std::int64_t kColumnBytes = 1 << 22;  // limit on the columns copied out of a part at once

void MergeCategories(CategoryLists const& part, CategoryLists* all) {
  if (all->empty()) *all = CategoryLists(part.size());
  for (std::size_t feature = 0; feature < part.size(); ++feature) {
    std::vector<std::int32_t> merged;
    std::set_union(part[feature].begin(), part[feature].end(), (*all)[feature].begin(), (*all)[feature].end(),
                   std::back_inserter(merged));
    (*all)[feature] = std::move(merged);
  }
}

/// The types of the columns known so far: each from the first batch that has types and a value in the column.
class KnownTypes {
 public:
  /// has_value: [n_cols]. \throws Error(kData) if a later batch is the first one with types and has categories: the
  /// sketches of the batches before took the categories for numbers.
  void Add(MetaInfo const& info, ColumnFlags const& has_value, std::size_t n_batches_before) {
    if (types_.empty()) {
      if (n_batches_before > 0 && HasCategorical(info)) {
        Fail(ErrorKind::kData, "feature_type: batch ", n_batches_before,
             " has categorical columns, but those before it have ", "no types; give every batch the same types.");
      }
      types_ = info.feature_types;
      is_settled_ = has_value;
      return;
    }
    for (std::size_t col = 0; col < std::min(types_.size(), info.feature_types.size()); ++col) {
      if (is_settled_[col] != 0) continue;
      is_settled_[col] = has_value[col];
      if (has_value[col] != 0 || info.feature_types[col] == "c") types_[col] = info.feature_types[col];
    }
  }

  std::vector<std::string> const& Types() const { return types_; }

 private:
  std::vector<std::string> types_;
  ColumnFlags is_settled_;
};

/// The values of columns that come part by part, kept for their exact ranks within a memory limit.
///
/// 1. Values and weights of the columns from `first` on are added, in the order of the rows.
/// 2. If they exceed the limit, the last columns are dropped; another pass over the rows begins with the dropped
///    columns.
/// The cuts are therefore the same as for one array with all rows, whatever the batches and the limit.
class ColumnValues {
 public:
  ColumnValues(std::int64_t first, std::int64_t n_cols);
  /// Adds the next rows. weights: [n_rows], or empty. Keeps at most `most_bytes`, but at least one column.
  void Add(Context const& ctx, DataMatrix const& part, Span<float const> weights, std::int64_t most_bytes);
  /// Returns one past the last column that is kept.
  std::int64_t End() const { return first_ + static_cast<std::int64_t>(columns_.size()); }
  std::int64_t Bytes() const;
  /// Computes the exact cuts of the columns that are kept, in a group of the columns that all ranks keep. Returns one
  /// past the last of them.
  std::int64_t Cut(Context const& ctx, CutTask const& task, std::vector<FeatureCuts>* features) const;

 private:
  struct Column {
    std::vector<float> values;   ///< present values
    std::vector<float> weights;  ///< weights of their rows, if some rows have weights

    void Add(ColumnPart const& part);
  };

  std::int64_t first_;
  std::vector<Column> columns_;
};

ColumnValues::ColumnValues(std::int64_t first, std::int64_t n_cols) : first_(first), columns_(ToSize(n_cols - first)) {}

void ColumnValues::Column::Add(ColumnPart const& part) {
  if (!part.weights.empty()) weights.resize(values.size(), 1.0F);
  for (std::size_t i = 0; i < part.values.size(); ++i) {
    if (std::isnan(part.values[i])) continue;
    values.push_back(part.values[i]);
    if (!part.weights.empty()) weights.push_back(part.weights[i]);
  }
  if (!weights.empty()) weights.resize(values.size(), 1.0F);
}

void ColumnValues::Add(Context const& ctx, DataMatrix const& part, Span<float const> weights, std::int64_t most_bytes) {
  ForEachColumnPart(ctx, part, RowsPerPart(part.NumCols()), weights,
                    [&](std::size_t feature, ColumnPart const& column) {
                      auto const place = static_cast<std::int64_t>(feature) - first_;
                      if (place >= 0 && place < End() - first_) columns_[place].Add(column);
                    });
  while (columns_.size() > 1 && Bytes() > most_bytes) columns_.pop_back();
}

std::int64_t ColumnValues::Bytes() const {
  std::size_t floats = 0;
  for (auto const& column : columns_) floats += column.values.capacity() + column.weights.capacity();
  return static_cast<std::int64_t>(floats * sizeof(float));
}

std::int64_t ColumnValues::Cut(Context const& ctx, CutTask const& task, std::vector<FeatureCuts>* features) const {
  auto const n_all = static_cast<std::int64_t>(features->size());
  // columns that some rank has dropped
  auto const n_behind = MaxOverRanks(ctx, static_cast<std::uint64_t>(n_all - End()));
  auto const end = n_all - static_cast<std::int64_t>(n_behind);
  if (end <= first_ || end > End()) {
    Fail(ErrorKind::kCollective, "the ranks hold different numbers of columns: another rank has ", end - first_,
         ", this rank has ", columns_.size(), "; run the same version of Kauri on all ranks.");
  }
  std::vector<ColumnPart> parts;
  for (auto f = first_; f < end; ++f) {
    auto const& column = columns_[f - first_];
    parts.push_back({column.values, task.unit ? Span<float const>(column.weights) : Span<float const>()});
  }
  auto cuts = MakeExactCuts(ctx, parts, task);
  std::move(cuts.begin(), cuts.end(), features->begin() + first_);
  return end;
}

class FirstPass {
 public:
  FirstPass(Context const& ctx, CutPlan const& plan) : ctx_(ctx), plan_(plan) {}

  void Add(RowBatch* batch) {
    auto const n_cols = batch->rows->NumCols();
    if (parts_ == nullptr) Begin(n_cols);
    auto const has_types = !batch->info.feature_types.empty();
    has_value_.push_back(has_types ? ColumnsWithValues(*batch->rows) : ColumnFlags(ToSize(n_cols), 1));
    types_.Add(batch->info, has_value_.back(), infos_.size());
    summary_.has_sparse |= IsSparse(*batch->rows);
    info_bytes_ += BytesOf(batch->info);
    parts_->Add(ctx_, *batch->rows, WeightPerRow(batch->info));
    infos_.push_back(std::move(batch->info));
  }

  /// Returns the bytes within the budget that values may take in a further pass.
  std::int64_t Room() const { return room_; }
  /// Sets *values to null if no cuts are needed, or if they come from summaries.
  BatchSummary Finish(std::unique_ptr<ColumnValues>* values) {
    if (infos_.empty()) FailWithoutBatch();
    parts_->Finish(ctx_);
    std::vector<MetaInfo*> infos;
    for (auto& info : infos_) infos.push_back(&info);
    SettleTypes(infos, has_value_);
    summary_.info = JoinBatches(infos_);
    summary_.features = sketches_->Cut(ctx_, summary_.info.n_rows);
    if (HasCategorical(summary_.info))
      summary_.categories.resize(ToSize(summary_.info.n_cols));  // also if there are no rows
    summary_.JoinRanks(ctx_);
    *values = std::move(values_);
    return std::move(summary_);
  }

 private:
  /// Returns whether cuts may come from summaries of the values. Ranks do not join summaries: they make exact cuts, in
  /// as many passes as the values need.
  bool MaySummarise() const { return plan_.in_file && !IsDistributed(ctx_); }

  void Begin(std::int64_t n_cols) {
    auto const makes_cuts = plan_.given == nullptr;
    auto const make = [this](std::size_t) { return GkMethod().Make(plan_.max_bin); };
    sketches_ = std::make_unique<FeatureSketches>(n_cols, plan_.max_bin,
                                                  makes_cuts && MaySummarise() ? SketchMaker(make) : SketchMaker());
    if (makes_cuts) values_ = std::make_unique<ColumnValues>(0, n_cols);
    parts_ = std::make_unique<RowParts>(n_cols,
                                        [this](DataMatrix* part, Span<float const> weights) { Take(part, weights); });
    summary_.digest.emplace(n_cols);
  }

  void Take(DataMatrix* part, Span<float const> weights) {
    part->MutableInfo()->feature_types = types_.Types();
    MergeCategories(FindCategories(ctx_, *part), &summary_.categories);
    sketches_->Add(ctx_, *part, weights);
    summary_.digest->Add(ctx_, *part);
    auto const part_bytes = part->NumRows() * part->NumCols() * 4;
    auto const copies = 2 * part_bytes + std::min(part_bytes, kColumnBytes);
    auto const needed = 2 * info_bytes_ + static_cast<std::int64_t>(sketches_->Bytes()) + copies;
    plan_.budget.Require(needed, "a sketch of the features, beside the labels,");
    // Half, because columns that grow or are sorted exist twice for a while.
    room_ = std::min(room_, (plan_.budget.bytes - needed) / 2);
    // The rows alone decide where a file's cuts come from, never the budget.
    value_bytes_ += part->NumEntries() * static_cast<std::int64_t>(sizeof(float)) * (weights.empty() ? 1 : 2);
    if (MaySummarise() && value_bytes_ > plan_.kept_bytes) values_ = nullptr;
    if (values_ != nullptr) values_->Add(ctx_, *part, weights, std::min(plan_.kept_bytes, room_));
  }

  Context const& ctx_;
  CutPlan const& plan_;
  BatchSummary summary_;
  std::vector<MetaInfo> infos_;
  std::int64_t info_bytes_ = 0;
  std::int64_t value_bytes_ = 0;
  std::int64_t room_ = MemoryBudget::kNoLimit;
  KnownTypes types_;
  std::vector<ColumnFlags> has_value_;         ///< [n_batches]
  std::unique_ptr<FeatureSketches> sketches_;  ///< counts only, if there is memory for values
  std::unique_ptr<ColumnValues> values_;
  std::unique_ptr<RowParts> parts_;
};

/// Reads the values of the columns from `first` on, up to the memory limit.
ColumnValues ReadValues(Context const& ctx, RowSource* source, std::int64_t most_bytes, std::int64_t first,
                        BatchSummary const& summary) {
  auto const n_cols = summary.info.n_cols;
  ColumnValues values(first, n_cols);
  RowDigest digest(n_cols);
  RowParts parts(n_cols, [&](DataMatrix* part, Span<float const> weights) {
    values.Add(ctx, *part, weights, most_bytes);
    digest.Add(ctx, *part);
  });
  ForEachBatch(ctx, source, [&](RowBatch* batch) { parts.Add(ctx, *batch->rows, WeightPerRow(batch->info)); });
  parts.Finish(ctx);
  digest.RequireSame(*summary.digest);
  return values;
}

}  // namespace

void BatchSummary::JoinRanks(Context const& ctx) {
  RequireSameColumns(ctx, info);
  for (auto const& feature : features) n_entries += feature.n_values;
  n_rows = CountGlobalRows(ctx, info.n_rows);
  CountOverRanks(ctx, features);
  categories = UnionOverRanks(ctx, std::move(categories));
  has_sparse = MaxOverRanks(ctx, has_sparse ? 1 : 0) != 0;
}

BinShape BatchSummary::Shape() const {
  BinShape shape;
  shape.n_rows = info.n_rows;
  std::int64_t n_all = 0;
  for (auto const& feature : features) n_all += feature.n_values;
  shape.is_dense = !has_sparse || IsMostlyPresent(n_all, n_rows, info.n_cols);
  for (auto const& feature : features) {
    if (shape.is_dense) shape.has_missing.push_back(feature.n_values < n_rows ? 1 : 0);
  }
  return shape;
}

bool IsSparse(DataView const& rows) { return dynamic_cast<SparseView const*>(&rows) != nullptr; }

MetaInfo JoinBatches(std::vector<MetaInfo> const& infos) {
  std::vector<MetaInfo const*> parts;
  for (auto const& info : infos) {
    if (info.n_rows > 0) parts.push_back(&info);
  }
  if (parts.empty()) return infos.front();
  return parts.size() == 1 ? *parts.front() : JoinInfo(parts);
}

BatchSummary SummariseBatches(Context const& ctx, RowSource* source, CutPlan const& plan) {
  std::unique_ptr<ColumnValues> values;
  FirstPass pass(ctx, plan);
  ForEachBatch(ctx, source, [&](RowBatch* batch) { pass.Add(batch); });
  auto summary = pass.Finish(&values);
  if (values == nullptr) return summary;
  auto const weights = CutWeights(ctx, summary.info);
  auto const task = MakeCutTask(ctx, summary.info.n_rows, plan.max_bin, weights);
  auto next = values->Cut(ctx, task, &summary.features);
  values.reset();
  constexpr int kByteCodes = 256;
  auto const code_bytes = summary.n_entries * (plan.max_bin > kByteCodes ? 2 : 1);
  auto const most_bytes = std::min(plan.in_file ? plan.kept_bytes : std::max(plan.kept_bytes, code_bytes), pass.Room());
  while (next < summary.info.n_cols) {
    next = ReadValues(ctx, source, most_bytes, next, summary).Cut(ctx, task, &summary.features);
  }
  return summary;
}

}  // namespace kauri
