#include "data/sketch/gk_sketch.h"

#include <cmath>
#include <utility>

namespace kauri {
namespace {

std::vector<WeightedKey> SortedKeys(Span<float const> values, Span<float const> weights) {
  std::vector<WeightedKey> keys;
  keys.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto const weight = weights.empty() ? 1.0F : weights[i];
    if (!std::isnan(values[i]) && weight > 0.0F) keys.push_back({ToKey(values[i]), weight});
  }
  std::vector<WeightedKey> scratch;
  SortKeys(&keys, &scratch);
  return keys;
}

/// Returns `entry` of one summary with the bounds extended by the other summary; `next` is the index of the other's
/// first larger entry.
GkEntry WithOther(GkEntry entry, GkSummary const& other, std::size_t next) {
  if (other.empty()) return entry;
  entry.smaller += next == 0 ? 0.0 : other[next - 1].SmallerThanNext();
  entry.up_to += next == other.size() ? other.back().up_to : other[next].BelowThis();
  return entry;
}

}  // namespace

GkSummary ExactSummary(Span<float const> values, Span<float const> weights) {
  auto const keys = SortedKeys(values, weights);
  GkSummary summary;
  summary.reserve(keys.size());
  double rank = 0.0;
  for (std::size_t i = 0; i < keys.size();) {
    auto const key = keys[i].key;
    auto const smaller = rank;
    for (; i < keys.size() && keys[i].key == key; ++i) rank += keys[i].weight;
    summary.push_back({FromKey(key), smaller, rank, rank - smaller});
  }
  return summary;
}

GkSummary MergeSummaries(GkSummary const& left, GkSummary const& right) {
  GkSummary merged;
  merged.reserve(left.size() + right.size());
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < left.size() || j < right.size()) {
    if (j == right.size() || (i < left.size() && left[i].value < right[j].value)) {
      merged.push_back(WithOther(left[i++], right, j));
    } else if (i == left.size() || right[j].value < left[i].value) {
      merged.push_back(WithOther(right[j++], left, i));
    } else {
      auto const& a = left[i++];
      auto const& b = right[j++];
      merged.push_back({a.value, a.smaller + b.smaller, a.up_to + b.up_to, a.weight + b.weight});
    }
  }
  return merged;
}

GkSummary PruneSummary(GkSummary const& summary, std::size_t capacity) {
  if (summary.size() <= capacity) return summary;
  GkSummary kept{summary.front()};
  std::size_t last = 0;
  std::size_t at = 0;
  auto const step = summary.back().up_to / static_cast<double>(capacity - 1);
  for (std::size_t k = 1; k + 1 < capacity; ++k) {
    auto const rank = step * static_cast<double>(k);
    while (at + 1 < summary.size() && 2.0 * rank >= summary[at + 1].smaller + summary[at + 1].up_to) ++at;
    if (at + 1 >= summary.size()) break;
    auto const is_this = 2.0 * rank < summary[at].SmallerThanNext() + summary[at + 1].BelowThis();
    auto const chosen = is_this ? at : at + 1;
    if (chosen > last) kept.push_back(summary[last = chosen]);
  }
  if (last + 1 < summary.size()) kept.push_back(summary.back());
  return kept;
}

ColumnRanks RanksOf(GkSummary const& summary) {
  ColumnRanks ranks;
  ranks.below.clear();
  for (auto const& entry : summary) {
    auto const middle = 0.5 * (entry.smaller + entry.BelowThis());
    ranks.values.push_back(entry.value);
    ranks.below.push_back(ranks.below.empty() ? 0.0 : std::max(middle, ranks.below.back()));
  }
  ranks.below.push_back(summary.empty() ? 0.0 : summary.back().up_to);
  return ranks;
}

void GkSketch::Add(Span<float const> values, Span<float const> weights) {
  constexpr std::size_t kValuesPerSort = std::size_t{1} << 16U;
  for (std::size_t begin = 0; begin < values.size(); begin += kValuesPerSort) {
    auto const n = std::min(kValuesPerSort, values.size() - begin);
    Insert(ExactSummary(values.subspan(begin, n), weights.empty() ? weights : weights.subspan(begin, n)), 0);
  }
}

void GkSketch::Insert(GkSummary summary, std::size_t times_pruned) {
  if (summary.empty()) return;
  for (;;) {
    if (of_count_.size() <= times_pruned) of_count_.resize(times_pruned + 1);
    auto& same = of_count_[times_pruned];
    if (!same.empty()) summary = MergeSummaries(std::exchange(same, {}), summary);
    if (summary.size() <= capacity_) {
      same = std::move(summary);
      return;
    }
    summary = PruneSummary(summary, capacity_);
    ++times_pruned;
  }
}

void GkSketch::Merge(ColumnSketch const& other) {
  auto const& parts = static_cast<GkSketch const&>(other).of_count_;
  for (std::size_t count = 0; count < parts.size(); ++count) Insert(parts[count], count);
}

void GkSketch::Send(Parcel* out) const {
  auto const whole = PruneSummary(Whole(), capacity_);
  std::vector<float> values;
  std::vector<double> bounds;  // smaller, up_to and weight of each entry
  for (auto const& entry : whole) {
    values.push_back(entry.value);
    bounds.insert(bounds.end(), {entry.smaller, entry.up_to, entry.weight});
  }
  out->Add(values);
  out->Add(bounds);
}

void GkSketch::MergeSent(OpenParcel* in) {
  auto const values = in->Take<float>();
  auto const bounds = in->Take<double>();
  if (bounds.size() != 3 * values.size() || values.size() > capacity_) FailParcel("a summary has the wrong size");
  GkSummary summary;
  for (std::size_t i = 0; i < values.size(); ++i) {
    GkEntry const entry{values[i], bounds[3 * i], bounds[3 * i + 1], bounds[3 * i + 2]};
    bool const ascends = i == 0 || (summary.back().value < entry.value && summary.back().smaller <= entry.smaller &&
                                    summary.back().up_to <= entry.up_to);
    bool const is_sound = std::isfinite(entry.value) && entry.smaller >= 0.0 && entry.weight > 0.0 &&
                          entry.weight <= entry.up_to && std::isfinite(entry.smaller) && std::isfinite(entry.up_to);
    if (!ascends || !is_sound) FailParcel("a summary has values or ranks that do not ascend");
    summary.push_back(entry);
  }
  Insert(std::move(summary), 0);
}

GkSummary GkSketch::Whole() const {
  GkSummary whole;
  for (auto const& summary : of_count_) whole = MergeSummaries(whole, summary);
  return whole;
}

ColumnRanks GkSketch::Ranks() const { return RanksOf(Whole()); }

double GkSketch::RankErrorBound() const {
  auto const whole = Whole();
  double gap = 0.0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    gap = std::max(gap, whole[i].BelowThis() - whole[i].smaller);
    if (i > 0) gap = std::max(gap, whole[i].BelowThis() - whole[i - 1].SmallerThanNext());
  }
  return whole.empty() ? 0.0 : 0.5 * gap / whole.back().up_to;
}

std::size_t GkSketch::Bytes() const {
  auto bytes = sizeof(*this) + of_count_.size() * sizeof(GkSummary);
  for (auto const& summary : of_count_) bytes += summary.size() * sizeof(GkEntry);
  return bytes;
}

void ExactSketch::Append(float value, float weight) {
  if (std::isnan(value) || !(weight > 0.0F)) return;
  if (weights_.empty() && weight != 1.0F) weights_.assign(values_.size(), 1.0F);
  if (!weights_.empty() || weight != 1.0F) weights_.push_back(weight);
  values_.push_back(value);
}

void ExactSketch::Add(Span<float const> values, Span<float const> weights) {
  for (std::size_t i = 0; i < values.size(); ++i) Append(values[i], weights.empty() ? 1.0F : weights[i]);
}

void ExactSketch::Merge(ColumnSketch const& other) {
  auto const& sketch = static_cast<ExactSketch const&>(other);
  Add(sketch.values_, sketch.weights_);
}

ColumnRanks ExactSketch::Ranks() const { return RanksOf(ExactSummary(values_, weights_)); }

}  // namespace kauri
