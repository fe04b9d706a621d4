/// \file A sketch by random compactions, after the first algorithm of Karnin, Lang & Liberty ("Optimal quantile
/// approximation in streams", FOCS 2016).
///
/// Vocabulary. A compactor holds values that weigh 2^exponent each; those of all exponents from the lowest on are kept,
/// one beside the other. Its capacity is size * (2/3)^(how many lie above it) + 1, rounded up.
///
/// The algorithm.
/// 1. A value goes to the compactor of its weight. One whose weight is no power of two goes to those of the leading
///    kDigits binary digits of its weight, so whole weights below 2^kDigits are exact.
/// 2. While there are more values than all capacities together, the lowest compactor that is full is sorted, and every
///    second value goes up, those at odd or at even places by the toss of a coin: a number by counter. A last one
///    without a partner stays.
/// 3. Two sketches are merged compactor by compactor.
/// A compaction of exponent h moves each rank by 2^h, 0 or -2^h at most and by 0 on average, so that Hoeffding's
/// inequality bounds what all of them did.
#pragma once

#include <cstdint>
#include <vector>

#include "data/sketch/column_sketch.h"

namespace kauri {

class KllSketch : public ColumnSketch {
 public:
  /// size: the capacity of the highest compactor, at least 2.
  explicit KllSketch(std::size_t size, std::uint64_t seed = 0) : size_(size), seed_(seed) {}
  void Add(Span<float const> values, Span<float const> weights) override;
  void Merge(ColumnSketch const& other) override;
  ColumnRanks Ranks() const override;
  /// Holds for each rank with a probability of 99 %, besides what rounding weights to kDigits digits changes.
  double RankErrorBound() const override;
  std::size_t Bytes() const override;
  std::size_t NumValues() const { return n_values_; }  ///< that are kept

 private:
  static constexpr int kDigits = 12;

  std::size_t Capacity(std::size_t level) const;
  std::vector<float>& LevelOf(int exponent);
  void AddWeighted(float value, float weight);
  /// Until there are no more values than there is room for.
  void Shrink();
  void Compact(std::size_t level);

  std::size_t size_;
  std::uint64_t seed_;
  int lowest_ = 0;                          ///< the exponent of levels_[0]
  std::vector<std::vector<float>> levels_;  ///< values of weight 2^(lowest_ + level)
  std::size_t n_values_ = 0;
  std::size_t room_ = 0;  ///< all capacities together
  std::uint64_t n_compactions_ = 0;
  double squares_ = 0.0;  ///< of the weights of all compactions
};

}  // namespace kauri
