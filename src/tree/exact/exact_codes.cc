#include "tree/exact/exact_codes.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "common/memory_size.h"
#include "common/threads/parallel_for.h"
#include "data/matrix_view.h"

namespace kauri {
namespace {

constexpr std::size_t kMaxWideCategories = 65535;  // one code is reserved for missing values
constexpr std::int64_t kRowsPerBlock = 1 << 12;
constexpr std::size_t kRowsPerValue = 4;  // with fewer, histograms have no advantage over the sorted entries

/// Returns the different values of a column; empty if there are more than `most`.
std::vector<float> ValuesOf(Span<ColumnEntry const> sorted, std::size_t most) {
  std::vector<float> values;
  for (auto entry = sorted.begin(); entry != sorted.end();) {
    if (values.size() == most) return {};
    auto const value = entry->value;
    values.push_back(value);
    // Runs are long if the column is worth coding, so steps double.
    auto const after = [&](ColumnEntry const* from, std::int64_t step) {
      return sorted.end() - from > step ? from + step : sorted.end();
    };
    std::int64_t step = 1;
    auto const* last = entry;
    while (after(last, step) != sorted.end() && after(last, step)->value == value) {
      last = after(last, step);
      step *= 2;
    }
    entry = std::partition_point(last, after(last, step), [&](ColumnEntry const& e) { return e.value == value; });
  }
  return values;
}

std::vector<std::uint16_t> WideCodes(Span<ColumnEntry const> sorted, std::vector<std::int32_t> const& categories,
                                     std::int64_t n_rows) {
  std::vector<std::uint16_t> codes(n_rows, static_cast<std::uint16_t>(categories.size()));
  auto at = categories.begin();
  for (auto const& entry : sorted) {
    while (*at < static_cast<std::int32_t>(entry.value)) ++at;
    codes[entry.row] = static_cast<std::uint16_t>(at - categories.begin());
  }
  return codes;
}

/// Appends bin edges whose bins are the values.
void AppendCuts(std::vector<float> const& values, QuantileCuts* cuts) {
  cuts->values.insert(cuts->values.end(), values.begin() + 1, values.end());
  cuts->values.push_back(std::numeric_limits<float>::infinity());
  cuts->feature_begin.push_back(static_cast<std::uint32_t>(cuts->values.size()));
  cuts->min_values.push_back(values[0]);
  cuts->first_values.push_back(values[0]);
}

}  // namespace

ExactCodes::ExactCodes(Context const& ctx, DataMatrix const& data, SortedColumns const& sorted,
                       CategoryLists categories)
    : categories_(std::move(categories)), place_of_(static_cast<std::size_t>(data.NumCols()), -1) {
  if (!data.IsDense()) return;
  std::vector<std::int32_t> const none;
  for (std::uint32_t feature = 0; feature < place_of_.size(); ++feature) {
    AddColumn(sorted, feature, categories_.empty() ? none : categories_[feature]);
  }
  MakeNarrow(ctx, data, sorted);
}

std::int64_t ExactCodes::BytesHeld() const {
  auto bytes = narrow_ == nullptr ? 0 : narrow_->BytesHeld();
  for (auto const& column : columns_) {
    bytes +=
        static_cast<std::int64_t>(column.values.size() * sizeof(float) + column.wide.size() * sizeof(std::uint16_t));
  }
  return bytes;
}

bool ExactCodes::HasNumbers() const {
  return std::any_of(columns_.begin(), columns_.end(), [](CodedColumn const& c) { return !c.IsCategorical(); });
}

void ExactCodes::AddColumn(SortedColumns const& sorted, std::uint32_t feature,
                           std::vector<std::int32_t> const& categories) {
  auto const entries = sorted.Column(feature);
  CodedColumn column;
  column.feature = feature;
  column.mode = ScanModeOf(sorted, feature);
  if (!categories.empty()) {
    if (categories.size() > kMaxWideCategories) return;
    column.n_values = static_cast<std::uint32_t>(categories.size());
    if (categories.size() > kMaxValues) column.wide = WideCodes(entries, categories, sorted.NumRows());
  } else {
    column.values = ValuesOf(entries, std::min(kMaxValues, entries.size() / kRowsPerValue));
    column.n_values = static_cast<std::uint32_t>(column.values.size());
    if (column.values.empty()) return;
  }
  place_of_[feature] = static_cast<std::int32_t>(columns_.size());
  columns_.push_back(std::move(column));
}

void ExactCodes::MakeNarrow(Context const& ctx, DataMatrix const& data, SortedColumns const& sorted) {
  QuantileCuts cuts;
  BinShape shape;
  std::vector<std::uint32_t> features;
  cuts.feature_begin.push_back(0);
  for (auto& column : columns_) {
    if (column.IsWide()) continue;
    column.narrow = static_cast<std::uint32_t>(features.size());
    features.push_back(column.feature);
    shape.has_missing.push_back(sorted.IsComplete(column.feature) ? 0 : 1);
    if (column.IsCategorical()) {
      auto const& list = categories_[column.feature];
      AppendCuts({list.begin(), list.end()}, &cuts);
    } else {
      AppendCuts(column.values, &cuts);
    }
  }
  if (features.empty()) return;
  std::vector<float> values(SizeInMemory(data.NumRows() * static_cast<std::int64_t>(features.size())));
  auto const* from = data.Dense().values.data();
  ParallelForBlocks(ctx, data.NumRows(), kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    auto* to = values.data() + begin * static_cast<std::int64_t>(features.size());
    for (auto row = begin; row < end; ++row) {
      for (auto const feature : features) *to++ = from[row * data.NumCols() + feature];
    }
  });
  shape.n_rows = data.NumRows();
  shape.by_column = false;
  auto const n_narrow = static_cast<std::int64_t>(features.size());
  narrow_ = std::make_unique<BinMatrix>(ctx, std::move(cuts), shape);
  narrow_->Append(ctx, *MakeRowsView(values.data(), data.NumRows(), n_narrow));
  narrow_->Finish(ctx);
}

}  // namespace kauri
