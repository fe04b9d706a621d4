#include "research/sketch/group_sums.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "collective/reduce.h"
#include "common/threads/parallel_for.h"
#include "data/batches/row_source.h"
#include "data/column_parts.h"
#include "data/sketch/cut_weights.h"
#include "data/sketch/group_cuts.h"
#include "data/sketch/power_sums.h"
#include "research/sketch/moment_density.h"

namespace kauri {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// A value and the whole units of weight of its rows.
struct WeighedKey {
  std::int64_t key;
  std::int64_t weight;
};

/// The distinct values of a column with their weights, as long as they are few.
class FewKeys {
 public:
  explicit FewKeys(std::size_t most) : most_(most) {}
  bool AreAll() const { return are_all_; }
  std::vector<WeighedKey> const& Keys() const { return keys_; }
  std::int64_t TotalWeight() const { return total_; }
  void DropAll() {
    are_all_ = false;
    keys_ = {};
  }

  void Add(WeighedKey const& item) {
    if (!are_all_) return;
    total_ += item.weight;
    auto const less = [](WeighedKey const& a, WeighedKey const& b) { return a.key < b.key; };
    auto const at = std::lower_bound(keys_.begin(), keys_.end(), item, less);
    if (at != keys_.end() && at->key == item.key) {
      at->weight += item.weight;
    } else if (keys_.size() < most_) {
      keys_.insert(at, item);
    } else {
      DropAll();
    }
  }

  ColumnRanks Ranks() const {
    ColumnRanks ranks;
    std::int64_t below = 0;
    for (auto const& item : keys_) {
      ranks.values.push_back(FromKey(static_cast<std::uint32_t>(item.key)));
      ranks.below.push_back(static_cast<double>(below += item.weight));
    }
    return ranks;
  }

 private:
  std::size_t most_;
  bool are_all_ = true;
  std::int64_t total_ = 0;
  std::vector<WeighedKey> keys_;  ///< ascending
};

/// The sums of one column.
struct ColumnSums {
  FewKeys few;
  std::array<std::int64_t, kMaxMoment + 1> sums{};  ///< [k]: of weight * t^k, or of weight * cos(k angle)
};

/// Calls fn(value, weight) for the values of a part that have weight, at least one unit of it.
template <typename Fn>
void ForEachWeighed(ColumnPart const& part, WeightUnit const& unit, Fn&& fn) {
  for (std::size_t i = 0; i < part.values.size(); ++i) {
    if (std::isnan(part.values[i])) continue;
    auto const weight = unit.Of(part.weights.empty() ? 1.0F : part.weights[i]);
    if (weight > 0) fn(part.values[i], weight);
  }
}

/// Computes the sums over the ranks.
class GroupSums {
 public:
  GroupSums(Context const& ctx, DataMatrix const& data, Span<float const> weights, GroupSumOptions const& options)
      : ctx_(ctx),
        data_(data),
        weights_(weights),
        options_(options),
        task_(MakeCutTask(ctx, data.NumRows(), 2, weights)),
        unit_(task_.unit ? *task_.unit : WeightUnit(1.0F, std::max<std::int64_t>(1, task_.n_rows))),
        bounds_(2 * ToSize(data.NumCols())),
        columns_(ToSize(data.NumCols()), ColumnSums{FewKeys(options.ranks.max_distinct)}) {}

  std::vector<FeatureCuts> Cut(int max_bin) {
    FindBounds();
    AddUp();
    SumColumns();
    GatherFewKeys();
    bounds_.resize(columns_.size());
    ParallelFor(ctx_, data_.NumCols(), [&](std::int64_t column) {
      auto& feature = bounds_[column];
      feature.values = MakeCuts(RankBoundaries(RanksOf(ToSize(column))), feature.n_values < task_.n_rows,
                                static_cast<std::uint32_t>(max_bin));
    });
    return std::move(bounds_);
  }

 private:
  template <typename Fn>
  void ForEachPart(Fn&& fn) {
    ForEachColumnPart(ctx_, data_, RowsPerPart(data_.NumCols()), weights_, fn);
  }

  FeatureCuts const& WeighedBounds(std::size_t column) const { return weighed_[column]; }

  /// Finds the counts and bounds of all values, and of those that have weight.
  void FindBounds() {
    auto const n_cols = columns_.size();
    ForEachPart([&](std::size_t f, ColumnPart const& part) {
      for (auto const value : part.values) {
        if (!std::isnan(value)) bounds_[f].AddValue(value);
      }
      ForEachWeighed(part, unit_, [&](float value, std::int64_t) { bounds_[n_cols + f].AddValue(value); });
    });
    CountOverRanks(ctx_, bounds_);
    weighed_.assign(bounds_.begin() + static_cast<std::ptrdiff_t>(n_cols), bounds_.end());
  }

  void AddUp() {
    ForEachPart([&](std::size_t f, ColumnPart const& part) {
      auto& column = columns_[f];
      auto const low = static_cast<double>(WeighedBounds(f).min);
      auto const range = static_cast<double>(WeighedBounds(f).max) - low;
      ForEachWeighed(part, unit_, [&](float value, std::int64_t weight) {
        column.few.Add({static_cast<std::int64_t>(ToKey(value)), weight});
        if (range > 0.0) AddTerms(std::clamp((value - low) / range, 0.0, 1.0), weight, &column);
      });
    });
  }

  /// Adds the terms of a value at a place from 0 to 1 of the range.
  void AddTerms(double place, std::int64_t weight, ColumnSums* column) const {
    auto const is_cosine = options_.density == TreeParam::kCosine;
    auto const first = is_cosine ? std::cos(kPi * place) : 2.0 * place - 1.0;
    auto before = 1.0;
    auto now = first;
    column->sums[0] += weight;
    for (std::size_t k = 1; k <= static_cast<std::size_t>(options_.order); ++k) {
      column->sums[k] += std::llrint(static_cast<double>(weight) * now);
      auto const next = is_cosine ? 2.0 * first * now - before : first * now;
      before = now;
      now = std::clamp(next, -1.0, 1.0);
    }
  }

  void SumColumns() {
    auto const width = static_cast<std::size_t>(options_.order) + 1;
    std::vector<std::int64_t> all;
    for (auto const& column : columns_) all.insert(all.end(), column.sums.begin(), column.sums.begin() + width);
    SumOverRanks(ctx_, Span<std::int64_t>(all));
    for (std::size_t f = 0; f < columns_.size(); ++f) {
      std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(f * width), width, columns_[f].sums.begin());
    }
  }

  /// Merges the values of columns that have few on every rank. A rank with too many says so by -1.
  void GatherFewKeys() {
    std::vector<std::int64_t> sizes;
    std::vector<WeighedKey> keys;
    for (auto& column : columns_) {
      auto const& mine = column.few.Keys();
      sizes.push_back(column.few.AreAll() ? static_cast<std::int64_t>(mine.size()) : -1);
      keys.insert(keys.end(), mine.begin(), mine.end());
      if (column.few.AreAll()) column.few = FewKeys(options_.ranks.max_distinct);
    }
    Parcel mine;
    mine.Add(sizes);
    mine.Add(keys);
    for (auto& of_rank : GatherParcels(ctx_, mine)) {
      auto const of_sizes = of_rank.Take<std::int64_t>();
      MergeFewKeys(of_sizes, of_rank.Take<WeighedKey>());
    }
  }

  void MergeFewKeys(std::vector<std::int64_t> const& sizes, std::vector<WeighedKey> const& keys) {
    if (sizes.size() != columns_.size()) FailParcel("it has another number of columns");
    std::size_t begin = 0;
    for (std::size_t f = 0; f < sizes.size(); ++f) {
      if (sizes[f] < 0) columns_[f].few.DropAll();
      if (sizes[f] <= 0) continue;
      if (ToSize(sizes[f]) > keys.size() - begin) FailParcel("a column has fewer values than it says");
      for (auto const end = begin + ToSize(sizes[f]); begin < end; ++begin) {
        auto const& item = keys[begin];
        if (item.key < 0 || item.key > UINT32_MAX || item.weight <= 0 ||
            item.weight >= (std::int64_t{1} << 62) - columns_[f].few.TotalWeight()) {
          FailParcel("a column has a value or weight out of range");
        }
        columns_[f].few.Add(item);
      }
    }
  }

  ColumnRanks RanksOf(std::size_t f) const {
    auto const& column = columns_[f];
    auto const& bounds = WeighedBounds(f);
    if (column.few.AreAll() || !(bounds.min < bounds.max) || column.sums[0] <= 0) return column.few.Ranks();
    auto const weight = static_cast<double>(column.sums[0]);
    std::vector<double> means;
    for (std::size_t k = 0; k <= static_cast<std::size_t>(options_.order); ++k) {
      auto const mean = static_cast<double>(column.sums[k]) / weight;
      // even moments do not increase, odd ones are at most the even one before; rounding can break it in the last
      // digits
      bool const is_cosine = options_.density == TreeParam::kCosine;
      auto const limit = k == 0 || is_cosine ? 1.0 : k % 2 == 0 ? means[k - 2] : means[k - 1];
      constexpr double kRounding = 1e-9;
      if (!(std::fabs(mean) <= limit + kRounding) || (!is_cosine && k % 2 == 0 && mean < 0.0)) break;
      means.push_back(mean);
    }
    return RanksOfCdf(CdfOf(means), {bounds.min, bounds.max, weight}, options_.ranks.n_ranks);
  }

  std::vector<double> CdfOf(std::vector<double> const& means) const {
    if (options_.density == TreeParam::kCosine) return CosineCdf(means);
    return options_.density == TreeParam::kLegendre ? LegendreCdf(means) : MaxEntropyCdf(means);
  }

  Context const& ctx_;
  DataMatrix const& data_;
  Span<float const> weights_;
  GroupSumOptions options_;
  CutTask task_;
  WeightUnit unit_;
  std::vector<FeatureCuts> bounds_;   ///< [n_cols] of all values, then until FindBounds [n_cols] of those with weight
  std::vector<FeatureCuts> weighed_;  ///< [n_cols] of values with weight, over all ranks
  std::vector<ColumnSums> columns_;   ///< [n_cols]
};

/// Replaces the smallest values of bins by those over all ranks. kNone marks a bin without values.
void MinOverRanks(Context const& ctx, float none, std::vector<std::vector<float>>* smallest) {
  if (!IsDistributed(ctx)) return;
  std::vector<std::uint64_t> complements;  // the largest complement belongs to the smallest value
  for (auto const& of_bins : *smallest) {
    for (auto const value : of_bins) complements.push_back(~std::uint64_t{ToKey(value)});
  }
  MaxOverRanks(ctx, Span<std::uint64_t>(complements));
  std::size_t at = 0;
  for (auto& of_bins : *smallest) {
    for (auto& value : of_bins) value = std::min(none, FromKey(static_cast<std::uint32_t>(~complements[at++])));
  }
}

}  // namespace

std::vector<FeatureCuts> GroupSumCuts(Context const& ctx, DataMatrix const& data, Span<float const> weights,
                                      GroupSumOptions const& options, int max_bin) {
  return GroupSums(ctx, data, weights, options).Cut(max_bin);
}

void MoveToValues(Context const& ctx, DataMatrix const& data, Span<float const> weights,
                  std::vector<FeatureCuts>* features) {
  constexpr float kNone = std::numeric_limits<float>::infinity();
  std::vector<std::vector<float>> smallest;  // smallest value of each bin
  for (auto const& feature : *features) smallest.emplace_back(feature.values.size() + 1, kNone);
  ForEachColumnPart(ctx, data, RowsPerPart(data.NumCols()), weights, [&](std::size_t f, ColumnPart const& part) {
    auto const& cuts = (*features)[f].values;
    for (std::size_t i = 0; i < part.values.size(); ++i) {
      auto const value = part.values[i];
      if (std::isnan(value) || (!part.weights.empty() && part.weights[i] <= 0.0F)) continue;
      auto const bin = FindBin(cuts.data(), static_cast<std::uint32_t>(cuts.size() + 1), value);
      auto& of_bin = smallest[f][bin];
      of_bin = std::min(of_bin, value);
    }
  });
  MinOverRanks(ctx, kNone, &smallest);
  for (std::size_t f = 0; f < features->size(); ++f) {
    auto& bins = smallest[f];
    bins.erase(std::remove(bins.begin(), bins.end(), kNone), bins.end());
    (*features)[f].values.assign(bins.begin() + (bins.empty() ? 0 : 1), bins.end());
  }
}

}  // namespace kauri
