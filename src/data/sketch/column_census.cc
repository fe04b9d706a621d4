#include "data/sketch/column_census.h"

#include <algorithm>
#include <limits>

#include "data/sketch/rank_cuts.h"
#include "data/sketch/weighted_keys.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr unsigned kKeyBits = 32;
constexpr unsigned kFirstBits = 7;
constexpr unsigned kNextBits = 5;
constexpr std::int32_t kNotOpen = -1;
constexpr std::size_t kNowhere = ~std::size_t{0};  // the place that stands for the root bucket of all keys

static_assert((kKeyBits - kFirstBits) % kNextBits == 0, "the last parts are single keys");

/// Fails because the weights of a bucket's parts do not add up to the weight of the bucket.
[[noreturn]] void FailWrong() {
  Fail(ErrorKind::kCollective,
       "the sums over the ranks contradict each other; check that the transport delivers every byte unchanged.");
}

}  // namespace

ColumnCensus::ColumnCensus() : n_root_parts_(1U << kFirstBits) {
  wanted_.push_back({kNowhere, {0, kKeyBits - kFirstBits, n_root_parts_}});
}

std::vector<KeyParts> ColumnCensus::Asked() const {
  std::vector<KeyParts> asked;
  for (auto const& wanted : wanted_) asked.push_back(wanted.parts);
  return asked;
}

void ColumnCensus::Open(std::int64_t const* weights) {
  for (auto const& [place, parts] : wanted_) {
    std::int64_t rank = 0;
    if (place != kNowhere) {
      rank = begin_[place];
      opened_[place] = static_cast<std::int32_t>(buckets_.size());
      --n_filled_;
    }
    buckets_.push_back({parts, begin_.size()});
    auto left = place == kNowhere ? std::numeric_limits<std::int64_t>::max() : begin_[place + 1] - rank;
    for (std::uint32_t part = 0; part < parts.n_parts; ++part, ++weights) {
      if (*weights < 0 || *weights > left) FailWrong();
      begin_.push_back(rank);
      rank += *weights;
      left -= *weights;
      n_filled_ += *weights > 0 ? 1 : 0;
    }
    if (place != kNowhere && left != 0) FailWrong();
    begin_.push_back(rank);
    opened_.resize(begin_.size(), kNotOpen);
  }
  wanted_.clear();
}

std::vector<float> ColumnCensus::Cuts(bool has_missing, std::uint32_t max_bin) {
  std::vector<float> cuts;
  if (n_filled_ > max_bin) {
    EvenCuts(*this, NumEvenBins(has_missing, max_bin), &cuts);
  } else {
    NoteAll();
    if (wanted_.empty()) DistinctCuts(*this, max_bin, &cuts);
  }
  SortWanted();
  return cuts;
}

template <typename IsUpTo>
ColumnCensus::Found ColumnCensus::Find(IsUpTo&& is_up_to) const {
  for (std::size_t at = 0;;) {
    auto const& bucket = buckets_[at];
    auto const begin = begin_.begin() + static_cast<std::ptrdiff_t>(bucket.place);
    auto const end = begin + bucket.parts.n_parts;
    auto found = std::partition_point(begin, end, is_up_to) - 1;
    // the rank is behind all values: take the last of them
    if (found[0] == found[1]) found = std::lower_bound(begin, end, *end) - 1;
    auto const part = static_cast<std::size_t>(found - begin);
    auto const key = bucket.parts.first + (static_cast<std::uint32_t>(part) << bucket.parts.shift);
    if (bucket.parts.shift == 0) return {true, key, found[0], found[1]};
    auto const opened = opened_[bucket.place + part];
    if (opened == kNotOpen) {
      Note(bucket, part);
      return {false, key, found[0], found[1]};
    }
    at = static_cast<std::size_t>(opened);
  }
}

void ColumnCensus::Note(Bucket const& bucket, std::size_t part) const {
  auto const first = bucket.parts.first + (static_cast<std::uint32_t>(part) << bucket.parts.shift);
  wanted_.push_back({bucket.place + part, {first, bucket.parts.shift - kNextBits, 1U << kNextBits}});
}

void ColumnCensus::NoteAll() const {
  for (auto const& bucket : buckets_) {
    if (bucket.parts.shift == 0) continue;
    for (std::size_t part = 0; part < bucket.parts.n_parts; ++part) {
      auto const place = bucket.place + part;
      if (begin_[place] < begin_[place + 1] && opened_[place] == kNotOpen) Note(bucket, part);
    }
  }
}

void ColumnCensus::SortWanted() {
  std::sort(wanted_.begin(), wanted_.end(), [](auto const& a, auto const& b) { return a.place < b.place; });
  auto const same = [](auto const& a, auto const& b) { return a.place == b.place; };
  wanted_.erase(std::unique(wanted_.begin(), wanted_.end(), same), wanted_.end());
}

float ColumnCensus::Value(std::size_t boundary) const {
  auto const rank = static_cast<std::int64_t>(boundary);
  auto const found = Find([&](std::int64_t begin) { return begin <= rank; });
  return found.is_known ? FromKey(found.key) : 0.0F;
}

std::size_t ColumnCensus::Next(std::size_t boundary) const {
  auto const rank = static_cast<std::int64_t>(boundary);
  auto const found = Find([&](std::int64_t begin) { return begin <= rank; });
  return found.is_known ? static_cast<std::size_t>(found.end) : boundary + 1;
}

std::size_t ColumnCensus::LastUpTo(double rank) const {
  auto const found = Find([&](std::int64_t begin) { return static_cast<double>(begin) <= rank; });
  return static_cast<std::size_t>(found.begin);
}

}  // namespace kauri
