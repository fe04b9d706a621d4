/// \file A sketch by random compactions, after the first algorithm of Karnin, Lang & Liberty ("Optimal quantile
/// approximation in streams", FOCS 2016).
///
/// Vocabulary. A compactor holds values of weight 2^exponent each; there is one compactor for each exponent from the
/// lowest on. Its capacity is size * (2/3)^(number of compactors above it) + 1, rounded up.
///
/// The algorithm.
/// 1. A value goes to the compactor of its weight. If the weight is not a power of two, the value goes to the
///    compactors of the leading kDigits binary digits of the weight, so integer weights below 2^kDigits are exact.
/// 2. While there are more values than the total capacity, the lowest full compactor is sorted, and every second value
///    moves up, the values at odd or at even places, chosen by a counter-based random bit. A last value without a
///    partner stays.
/// 3. Two sketches are merged compactor by compactor.
/// A compaction of exponent h changes each rank by 2^h, 0 or -2^h, and by 0 on average, so Hoeffding's inequality
/// bounds the error of all compactions.
#pragma once

#include <cstdint>
#include <vector>

#include "data/sketch/sketch_method.h"

namespace kauri {

class KllSketch : public ColumnSketch {
 public:
  /// size: the capacity of the highest compactor, at least 2.
  explicit KllSketch(std::size_t size, std::uint64_t seed = 0) : size_(size), seed_(seed) {}
  void Add(Span<float const> values, Span<float const> weights) override;
  void Merge(ColumnSketch const& other) override;
  void Send(Parcel* out) const override;
  /// The bound holds if the senders and this sketch have different seeds.
  void MergeSent(OpenParcel* in) override;
  ColumnRanks Ranks() const override;
  /// Holds for each rank with a probability of 99 %, apart from the rounding of weights to kDigits digits.
  double RankErrorBound() const override;
  std::size_t Bytes() const override;
  std::size_t NumValues() const { return n_values_; }  ///< stored in the compactors

 private:
  static constexpr int kDigits = 12;

  std::size_t Capacity(std::size_t level) const;
  std::vector<float>& LevelOf(int exponent);
  void AddWeighted(float value, float weight);
  /// Compacts until the values fit into the total capacity.
  void Shrink();
  void Compact(std::size_t level);

  std::size_t size_;
  std::uint64_t seed_;
  int lowest_ = 0;                          ///< the exponent of levels_[0]
  std::vector<std::vector<float>> levels_;  ///< values of weight 2^(lowest_ + level)
  std::size_t n_values_ = 0;
  std::size_t room_ = 0;  ///< total capacity of all levels
  std::uint64_t n_compactions_ = 0;
  double squares_ = 0.0;  ///< sum of the squared weights of all compactions
};

}  // namespace kauri
