/// \file Detects when fixed point loses the information in the gradients (fixed_point.h states its limit).
///
/// Late in training, gradients that vanish beside a large one are normal: a model that fits all rows except one has
/// them. Only the input deserves a warning: a label, weight or base margin so far from the others that no round sees
/// their information. A row is therefore reported if (1) its gradient or hessian hides those of most rows and (2) its
/// inputs, from which the gradients are computed, are outliers. The inputs of gradients computed by a caller are
/// unknown, so only the first rounds of the model are checked for these. InputScale finds the outliers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kauri/gradient.h"
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

/// Checks the gradients of the first round of a training, the second, the fourth and so on, until it has warned once.
class ResolutionWatch {
 public:
  /// Must be called with every round's gradients. by_caller: the gradients do not come from an objective.
  void Expect(bool by_caller) { by_caller_ = by_caller; }
  /// Returns whether the gradients of a round's tree should be checked.
  bool IsDue(std::int64_t iteration);
  /// Returns whether a warning is possible for any gradients. Cost: a few hundred rows for the scale, then all rows.
  bool MayWarn(MetaInfo const& info, std::int64_t n_outputs, std::int64_t output) const;
  /// Warns if, in a sample of the rows, the rounding to `unit` loses more than half of the differences between
  /// gradients or more than half of the hessians, and the row with the largest value is an outlier. gradients: [n_rows,
  /// n_outputs]; only `output` is checked. Cost: a few hundred rows; all rows if something is lost.
  void Look(Span<GradientPair const> gradients, MetaInfo const& info, std::int64_t n_outputs, std::int64_t output,
            GradientUnit unit);

 private:
  std::int64_t n_rounds_ = 0;
  std::int64_t iteration_ = -1;  ///< iteration of the last call of IsDue
  bool by_caller_ = false;
  bool has_warned_ = false;
};

/// Evenly spread sample rows: their number, and the i-th of them.
std::int64_t NumWatchedRows(std::int64_t n_rows);
inline std::int64_t WatchedRow(std::int64_t i, std::int64_t n_rows) { return i * n_rows / NumWatchedRows(n_rows); }

/// Returns whether the pairs of the sample rows lose what Look warns about.
bool LosesGradients(Span<GradientPair const> watched, GradientUnit unit);

}  // namespace kauri
