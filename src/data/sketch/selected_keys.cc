#include "data/sketch/selected_keys.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "common/large_memory.h"
#include "data/sketch/rank_cuts.h"

namespace kauri {
namespace {

constexpr unsigned kShift = 16;
constexpr std::size_t kBuckets = std::size_t{1} << kShift;

}  // namespace

void SelectedKeys::Count(Span<float const> values) {
  begin_.assign(kBuckets + 1, 0);
  for (auto const value : values) begin_[(ToKey(value) >> kShift) + 1] += static_cast<std::uint32_t>(value == value);
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) begin_[bucket + 1] += begin_[bucket];
}

std::size_t SelectedKeys::BucketOf(std::size_t rank) const {
  auto const after = std::upper_bound(begin_.begin(), begin_.end(), static_cast<std::uint32_t>(rank));
  return static_cast<std::size_t>(after - begin_.begin()) - 1;
}

void SelectedKeys::PickBuckets(std::uint32_t n_bins) {
  is_picked_.assign(kBuckets, 0);
  is_picked_[BucketOf(0)] = 1;
  is_picked_[BucketOf(End() - 1)] = 1;
  auto const total = static_cast<double>(End());
  double target = 0.0;
  for (auto bins_left = n_bins; bins_left > 1; --bins_left) {  // the steps of EvenCuts if no value fills a step
    target += (total - target) / bins_left;
    is_picked_[BucketOf(std::min(static_cast<std::size_t>(target), End() - 1))] = 1;
  }
  place_.resize(kBuckets);
  std::uint32_t place = 0;
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
    place_[bucket] = place;
    if (is_picked_[bucket] != 0) place += begin_[bucket + 1] - begin_[bucket];
  }
  ResizeLarge(&selected_, place);
}

void SelectedKeys::CopyPicked(Span<float const> values) {
  ResizeLarge(&scratch_, selected_.size() + 1);
  std::size_t n = 0;
  for (auto const value : values) {  // unpicked keys are overwritten; one element more holds the last such write
    auto const key = ToKey(value);
    scratch_[n] = key;
    n += is_picked_[key >> kShift] & static_cast<std::uint32_t>(value == value);
  }
  for (std::size_t i = 0; i < n; ++i) selected_[place_[scratch_[i] >> kShift]++] = scratch_[i];
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
    if (is_picked_[bucket] != 0) place_[bucket] -= begin_[bucket + 1] - begin_[bucket];
  }
}

void SelectedKeys::SortBucket(std::size_t bucket) {
  auto* const keys = selected_.data() + place_[bucket];
  auto const n = begin_[bucket + 1] - begin_[bucket];
  constexpr std::uint32_t kFewKeys = 64;
  if (n <= kFewKeys) {
    std::sort(keys, keys + n);
    return;
  }
  constexpr std::uint32_t kDigits = 256;
  constexpr std::uint32_t kBits = 8;
  std::array<std::array<std::uint32_t, kDigits>, 2> starts{};
  for (std::uint32_t i = 0; i < n; ++i) {
    ++starts[0][keys[i] % kDigits];
    ++starts[1][(keys[i] >> kBits) % kDigits];
  }
  for (auto& start : starts) std::exclusive_scan(start.begin(), start.end(), start.begin(), 0U);
  if (scratch_.size() < n) scratch_.resize(n);
  for (std::uint32_t i = 0; i < n; ++i) scratch_[starts[0][keys[i] % kDigits]++] = keys[i];
  for (std::uint32_t i = 0; i < n; ++i) keys[starts[1][(scratch_[i] >> kBits) % kDigits]++] = scratch_[i];
}

bool SelectedKeys::Select(Span<float const> values, std::int64_t n_rows, std::uint32_t max_bin) {
  is_complete_ = true;
  Count(values);
  std::size_t n_used = 0;
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) n_used += begin_[bucket + 1] > begin_[bucket] ? 1 : 0;
  if (n_used <= max_bin) return false;
  PickBuckets(NumEvenBins(static_cast<std::int64_t>(End()) < n_rows, max_bin));
  CopyPicked(values);
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
    if (is_picked_[bucket] != 0) SortBucket(bucket);
  }
  return true;
}

FeatureCuts SelectedKeys::Summary() const {
  FeatureCuts feature;
  feature.n_values = static_cast<std::int64_t>(End());
  feature.min = Value(0);
  feature.max = Value(End() - 1);
  return feature;
}

SelectedKeys::Bucket SelectedKeys::Find(std::size_t rank) const {
  auto const bucket = BucketOf(rank);
  if (is_picked_[bucket] == 0) {
    is_complete_ = false;
    return {};
  }
  auto const* first = selected_.data() + place_[bucket];
  return {first, first + (begin_[bucket + 1] - begin_[bucket]), begin_[bucket]};
}

float SelectedKeys::Value(std::size_t boundary) const {
  auto const bucket = Find(boundary);
  return bucket.first == nullptr ? 0.0F : FromKey(bucket.first[boundary - bucket.rank]);
}

std::size_t SelectedKeys::Next(std::size_t boundary) const {
  auto const bucket = Find(boundary);
  if (bucket.first == nullptr) return End();
  auto const* here = bucket.first + (boundary - bucket.rank);
  return bucket.rank + static_cast<std::size_t>(std::upper_bound(here, bucket.last, *here) - bucket.first);
}

std::size_t SelectedKeys::LastUpTo(double rank) const {
  auto const at = std::min(static_cast<std::size_t>(rank), End() - 1);
  auto const bucket = Find(at);
  if (bucket.first == nullptr) return End();
  auto const key = bucket.first[at - bucket.rank];
  return bucket.rank + static_cast<std::size_t>(std::lower_bound(bucket.first, bucket.last, key) - bucket.first);
}

}  // namespace kauri
