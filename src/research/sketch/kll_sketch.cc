#include "research/sketch/kll_sketch.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "common/random/random.h"

namespace kauri {

std::size_t KllSketch::Capacity(std::size_t level) const {
  constexpr double kShrink = 2.0 / 3.0;
  auto const above = static_cast<double>(levels_.size() - 1 - level);
  return static_cast<std::size_t>(std::ceil(static_cast<double>(size_) * std::pow(kShrink, above))) + 1;
}

std::vector<float>& KllSketch::LevelOf(int exponent) {
  auto const n_before = levels_.size();
  if (levels_.empty()) lowest_ = exponent;
  if (exponent < lowest_) {
    levels_.insert(levels_.begin(), static_cast<std::size_t>(lowest_ - exponent), {});
    lowest_ = exponent;
  }
  auto const level = static_cast<std::size_t>(exponent - lowest_);
  if (level >= levels_.size()) levels_.resize(level + 1);
  if (levels_.size() != n_before) {
    room_ = 0;
    for (std::size_t each = 0; each < levels_.size(); ++each) room_ += Capacity(each);
  }
  return levels_[level];
}

void KllSketch::AddWeighted(float value, float weight) {
  int exponent = 0;
  auto const fraction = std::frexp(weight, &exponent);  // in [1/2, 1)
  auto digits = static_cast<std::uint32_t>(std::lround(std::ldexp(fraction, kDigits)));
  for (auto place = exponent - kDigits; digits != 0; ++place, digits >>= 1U) {
    if (digits % 2 == 0) continue;
    LevelOf(place).push_back(value);
    ++n_values_;
  }
}

void KllSketch::Add(Span<float const> values, Span<float const> weights) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto const weight = weights.empty() ? 1.0F : weights[i];
    if (std::isnan(values[i]) || !(weight > 0.0F)) continue;
    AddWeighted(values[i] + 0.0F, weight);  // both zeros become one
    Shrink();
  }
}

void KllSketch::Merge(ColumnSketch const& other) {
  auto const& sketch = static_cast<KllSketch const&>(other);
  for (std::size_t level = 0; level < sketch.levels_.size(); ++level) {
    auto const& values = sketch.levels_[level];
    if (values.empty()) continue;
    auto& mine = LevelOf(sketch.lowest_ + static_cast<int>(level));
    mine.insert(mine.end(), values.begin(), values.end());
  }
  n_values_ += sketch.n_values_;
  n_compactions_ += sketch.n_compactions_;
  squares_ += sketch.squares_;
  Shrink();
}

void KllSketch::Send(Parcel* out) const {
  std::vector<std::int64_t> sizes{lowest_, static_cast<std::int64_t>(n_compactions_)};
  std::vector<float> values;
  for (auto const& level : levels_) {
    sizes.push_back(static_cast<std::int64_t>(level.size()));
    values.insert(values.end(), level.begin(), level.end());
  }
  out->Add(sizes);
  out->Add(values);
  out->Add(std::vector<double>{squares_});
}

void KllSketch::MergeSent(OpenParcel* in) {
  constexpr std::int64_t kMostExponent = 300;  // of float32 weights, their digits, and compactions
  auto const sizes = in->Take<std::int64_t>();
  auto const values = in->Take<float>();
  auto const squares = in->Take<double>();
  bool const has_head = sizes.size() >= 2 && squares.size() == 1 && std::isfinite(squares[0]) && squares[0] >= 0.0;
  if (!has_head || std::abs(sizes[0]) > kMostExponent || sizes.size() > 2 + 2 * kMostExponent || sizes[1] < 0) {
    FailParcel("a sketch has the wrong size");
  }
  KllSketch sent(size_);
  sent.lowest_ = static_cast<int>(sizes[0]);
  sent.n_compactions_ = static_cast<std::uint64_t>(sizes[1]);
  sent.squares_ = squares[0];
  sent.n_values_ = values.size();
  std::size_t begin = 0;
  for (std::size_t level = 2; level < sizes.size(); ++level) {
    auto const n = static_cast<std::size_t>(sizes[level]);
    if (sizes[level] < 0 || n > values.size() - begin) FailParcel("a sketch has the wrong number of values");
    auto const first = values.begin() + static_cast<std::ptrdiff_t>(begin);
    sent.levels_.emplace_back(first, first + static_cast<std::ptrdiff_t>(n));
    begin += n;
  }
  auto const is_finite = [](float value) { return std::isfinite(value); };
  if (begin != values.size() || !std::all_of(values.begin(), values.end(), is_finite)) {
    FailParcel("a sketch has the wrong values");
  }
  Merge(sent);
}

void KllSketch::Shrink() {
  while (n_values_ > room_) {
    std::size_t level = 0;
    while (levels_[level].size() < Capacity(level)) ++level;  // some level is full, otherwise there would be room
    Compact(level);
  }
}

void KllSketch::Compact(std::size_t level) {
  auto values = std::exchange(levels_[level], {});
  std::sort(values.begin(), values.end());
  auto const n_pairs = values.size() / 2;
  auto& up = LevelOf(lowest_ + static_cast<int>(level) + 1);
  auto const odd = RandomBits(seed_, n_compactions_++) >> 63U;
  for (std::size_t pair = 0; pair < n_pairs; ++pair) up.push_back(values[2 * pair + odd]);
  if (values.size() % 2 == 1) levels_[level].push_back(values.back());
  n_values_ -= n_pairs;
  auto const weight = std::ldexp(1.0, lowest_ + static_cast<int>(level));
  squares_ += weight * weight;
}

ColumnRanks KllSketch::Ranks() const {
  std::vector<std::pair<float, double>> all;
  all.reserve(n_values_);
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    auto const weight = std::ldexp(1.0, lowest_ + static_cast<int>(level));
    for (auto const value : levels_[level]) all.emplace_back(value, weight);
  }
  std::sort(all.begin(), all.end());
  ColumnRanks ranks;
  ranks.below.clear();
  auto below = 0.0;
  for (auto const& [value, weight] : all) {
    if (ranks.values.empty() || ranks.values.back() != value) {
      ranks.values.push_back(value);
      ranks.below.push_back(below);
    }
    below += weight;
  }
  ranks.below.push_back(below);
  return ranks;
}

double KllSketch::RankErrorBound() const {
  constexpr double kDoubt = 0.01;
  auto total = 0.0;
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    total += std::ldexp(static_cast<double>(levels_[level].size()), lowest_ + static_cast<int>(level));
  }
  return squares_ == 0.0 ? 0.0 : std::min(1.0, std::sqrt(2.0 * std::log(2.0 / kDoubt) * squares_) / total);
}

std::size_t KllSketch::Bytes() const {
  auto bytes = sizeof(*this) + levels_.size() * sizeof(std::vector<float>);
  for (auto const& level : levels_) bytes += level.size() * sizeof(float);
  return bytes;
}

}  // namespace kauri
