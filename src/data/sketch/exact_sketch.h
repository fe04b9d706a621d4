/// \file All values of a column.
#pragma once

#include <vector>

#include "data/sketch/column_sketch.h"

namespace kauri {

class ExactSketch : public ColumnSketch {
 public:
  void Add(Span<float const> values, Span<float const> weights) override;
  void Merge(ColumnSketch const& other) override;
  /// Sorts the values. The weight of smaller values is exact.
  ColumnRanks Ranks() const override;
  double RankErrorBound() const override { return 0.0; }
  std::size_t Bytes() const override { return sizeof(*this) + (values_.size() + weights_.size()) * sizeof(float); }

 private:
  void Append(float value, float weight);

  std::vector<float> values_;
  std::vector<float> weights_;  ///< empty while all are 1
};

}  // namespace kauri
