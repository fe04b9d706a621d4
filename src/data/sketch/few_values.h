/// \file The distinct values of a column as long as they are few, for summaries that represent it by a few numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "data/sketch/gk_sketch.h"

namespace kauri {

/// All distinct values of a column as long as they are few.
class FewValues {
 public:
  explicit FewValues(std::size_t most) : most_(most) {}
  bool AreAll() const { return are_all_; }  ///< true if no added value was dropped
  GkSummary const& Values() const { return values_; }

  void Add(Span<float const> values, Span<float const> weights) {
    constexpr std::size_t kBlock = std::size_t{1} << 12U;
    for (std::size_t begin = 0; begin < values.size() && are_all_; begin += kBlock) {
      auto const n = std::min(kBlock, values.size() - begin);
      MergeSummary(ExactSummary(values.subspan(begin, n), weights.empty() ? weights : weights.subspan(begin, n)));
    }
  }

  void Merge(FewValues const& other) {
    are_all_ = are_all_ && other.are_all_;
    MergeSummary(other.values_);
  }

 private:
  void MergeSummary(GkSummary const& values) {
    if (are_all_) values_ = MergeSummaries(values_, values);
    are_all_ = are_all_ && values_.size() <= most_;
    if (!are_all_) values_ = {};
  }

  std::size_t most_;
  bool are_all_ = true;
  GkSummary values_;
};

}  // namespace kauri
