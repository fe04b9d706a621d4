/// \file Finds rows whose label, weight or base margin is far from the values of most rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kauri/meta_info.h"
#include "kauri/span.h"

namespace kauri {

/// Compares the inputs of a row, from which its gradient of one output is computed, with typical values.
class InputScale {
 public:
  /// n_outputs: outputs of the base margin. Cost: a few hundred rows.
  InputScale(MetaInfo const& info, std::int64_t n_outputs, std::int64_t output);
  /// Describes the outlier of the row, such as "its label is 1e+10 where labels differ by about 1"; empty if there is
  /// none.
  std::string WhatStandsOut(std::int64_t row) const;
  bool AnyStandsOut() const;

 private:
  /// Values by row: one column of several, `stride` apart, or values of query groups.
  struct Column {
    char const* name;
    Span<float const> values;
    std::int64_t stride = 1;
    std::int64_t offset = 0;
    std::vector<std::int64_t> const* group_ptr = nullptr;
    double centre = 0.0;
    double spread = 1.0;

    double Of(std::int64_t row) const;
    bool IsFar(double value) const;
  };

  void Add(Column column);

  std::int64_t n_rows_;
  std::vector<Column> columns_;
};

}  // namespace kauri
