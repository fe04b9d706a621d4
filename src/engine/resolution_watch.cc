#include "engine/resolution_watch.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "common/fixed_point.h"
#include "common/text/log.h"

namespace kauri {
namespace {

constexpr std::int64_t kMostSampled = 512;
/// Minimum number of distances; fewer may be the outliers themselves.
constexpr std::size_t kFewestDistances = 8;
/// Far more than heavy tails reach, but far less than the resolution of fixed point (2^30).
constexpr double kFar = 1 << 20;

/// Returns the median of at least one value.
double Median(std::vector<double>* values) {
  auto const middle = values->begin() + static_cast<std::ptrdiff_t>(values->size() / 2);
  std::nth_element(values->begin(), middle, values->end());
  return *middle;
}

}  // namespace

InputScale::InputScale(MetaInfo const& info, std::int64_t n_outputs, std::int64_t output) : n_rows_(info.n_rows) {
  if (n_rows_ == 0) return;
  if (!info.labels.empty()) Add({"label", info.labels, info.n_targets, info.n_targets == 1 ? 0 : output});
  if (info.labels.empty() && !info.label_lower_bound.empty()) Add({"label", info.label_lower_bound});
  auto const by_group = !info.group_ptr.empty() && static_cast<std::int64_t>(info.weights.size()) != n_rows_;
  if (!info.weights.empty()) Add({"weight", info.weights, 1, 0, by_group ? &info.group_ptr : nullptr});
  if (!info.base_margin.empty()) Add({"base margin", info.base_margin, n_outputs, output});
}

double InputScale::Column::Of(std::int64_t row) const {
  auto place = row * stride + offset;
  if (group_ptr != nullptr) {
    place = std::upper_bound(group_ptr->begin(), group_ptr->end(), row) - group_ptr->begin() - 1;
  }
  // The engines check the sizes, with their own messages.
  return place < static_cast<std::int64_t>(values.size()) ? static_cast<double>(values[place]) : centre;
}

bool InputScale::Column::IsFar(double value) const { return std::fabs(value - centre) > kFar * spread; }

/// Adds a column. The spread is the median distance from the centre of the values that differ from it. If nearly all
/// values equal the centre, the spread is the magnitude of the centre, or 1 if that is 0, since classes are 1 apart.
void InputScale::Add(Column column) {
  auto const n = std::min(n_rows_, kMostSampled);
  std::vector<double> sample;
  for (std::int64_t i = 0; i < n; ++i) {
    auto const value = column.Of(i * n_rows_ / n);
    if (!std::isnan(value)) sample.push_back(value);  // missing label (`IsMissingLabel`)
  }
  if (sample.empty()) return;
  column.centre = Median(&sample);
  std::vector<double> distances;
  for (auto const value : sample) {
    if (value != column.centre) distances.push_back(std::fabs(value - column.centre));
  }
  auto const of_centre = column.centre != 0.0 ? std::fabs(column.centre) : 1.0;
  column.spread = distances.size() < kFewestDistances ? of_centre : Median(&distances);
  columns_.push_back(column);
}

std::string InputScale::WhatStandsOut(std::int64_t row) const {
  for (auto const& column : columns_) {
    auto const value = column.Of(row);
    if (!column.IsFar(value)) continue;
    std::ostringstream text;
    text << "its " << column.name << " is " << value << " where most are within about " << column.spread << " of "
         << column.centre;
    return text.str();
  }
  return {};
}

bool InputScale::AnyStandsOut() const {
  return std::any_of(columns_.begin(), columns_.end(), [&](Column const& column) {
    for (std::int64_t row = 0; row < n_rows_; ++row) {
      if (column.IsFar(column.Of(row))) return true;
    }
    return false;
  });
}

namespace {

constexpr std::int64_t kMostWatched = 512;
/// Minimum number of differences for a conclusion.
constexpr std::int64_t kFewestDifferences = 8;

/// Rounds of a model in which a caller's gradients are checked: too few to converge.
constexpr std::int64_t kFirstRounds = 4;

/// Counts how many values were lost.
struct Losses {
  std::int64_t lost = 0;
  std::int64_t all = 0;

  void Count(bool is_lost) {
    ++all;
    if (is_lost) ++lost;
  }
  bool AreMost() const { return all >= kFewestDifferences && 2 * lost > all; }
};

/// Returns the row of `output` with the largest gradient, or hessian, beside which the others vanish.
std::int64_t LargestRow(Span<GradientPair const> gradients, std::int64_t n_outputs, std::int64_t output,
                        bool by_gradient) {
  auto const size = [&](std::int64_t row) {
    auto const pair = gradients[row * n_outputs + output];
    return std::fabs(by_gradient ? pair.gradient : pair.hessian);
  };
  std::int64_t largest = 0;
  auto const n_rows = static_cast<std::int64_t>(gradients.size()) / n_outputs;
  for (std::int64_t row = 1; row < n_rows; ++row) {
    if (size(row) > size(largest)) largest = row;
  }
  return largest;
}

/// Warns about a row. why: reason in words, or empty.
void Warn(std::int64_t row, GradientPair pair, GradientUnit unit, std::string const& why) {
  Log(LogLevel::kWarning, "row ", row, " has gradient ", pair.gradient, " and hessian ", pair.hessian,
      ", beside which those of most rows vanish", why.empty() ? "" : " (" + why + ")",
      ": gradients are added in steps of ", unit.gradient, ", hessians in steps of ", unit.hessian,
      ", so differences between the other rows are learnt late or never. Correct or clip the label or weight of that "
      "row, "
      "leave it out, or use an objective for outliers such as reg:pseudohubererror.");
}

bool LosesDifferences(Span<GradientPair const> watched, GradientUnit unit) {
  GradientUnit const steps{1.0 / unit.gradient, 1.0 / unit.hessian};
  Losses differences;
  for (std::size_t i = 1; i < watched.size(); ++i) {
    auto const before = watched[i - 1];
    if (before.gradient == watched[i].gradient) continue;
    differences.Count(QuantisePair(before, steps).gradient == QuantisePair(watched[i], steps).gradient);
  }
  return differences.AreMost();
}

bool LosesHessians(Span<GradientPair const> watched, GradientUnit unit) {
  Losses hessians;
  for (auto const pair : watched) {
    if (pair.hessian > 0.0F) hessians.Count(static_cast<double>(pair.hessian) < 0.5 * unit.hessian);
  }
  return hessians.AreMost();
}

}  // namespace

std::int64_t NumWatchedRows(std::int64_t n_rows) { return std::min(n_rows, kMostWatched); }

bool LosesGradients(Span<GradientPair const> watched, GradientUnit unit) {
  return LosesDifferences(watched, unit) || LosesHessians(watched, unit);
}

bool ResolutionWatch::IsDue(std::int64_t iteration) {
  if (iteration != iteration_) ++n_rounds_;
  iteration_ = iteration;
  auto const is_power_of_two = (n_rounds_ & (n_rounds_ - 1)) == 0;
  return is_power_of_two && !has_warned_ && !(by_caller_ && iteration >= kFirstRounds);
}

bool ResolutionWatch::MayWarn(MetaInfo const& info, std::int64_t n_outputs, std::int64_t output) const {
  return !has_warned_ && (by_caller_ || InputScale(info, n_outputs, output).AnyStandsOut());
}

void ResolutionWatch::Look(Span<GradientPair const> gradients, MetaInfo const& info, std::int64_t n_outputs,
                           std::int64_t output, GradientUnit unit) {
  if (has_warned_) return;
  auto const n_rows = static_cast<std::int64_t>(gradients.size()) / n_outputs;
  std::vector<GradientPair> watched;
  for (std::int64_t i = 0; i < NumWatchedRows(n_rows); ++i) {
    watched.push_back(gradients[WatchedRow(i, n_rows) * n_outputs + output]);
  }
  for (bool const by_gradient : {true, false}) {
    if (!(by_gradient ? LosesDifferences(watched, unit) : LosesHessians(watched, unit))) continue;
    auto const row = LargestRow(gradients, n_outputs, output, by_gradient);
    auto const why = by_caller_ ? std::string() : InputScale(info, n_outputs, output).WhatStandsOut(row);
    if (!by_caller_ && why.empty()) continue;
    has_warned_ = true;
    return Warn(row, gradients[row * n_outputs + output], unit, why);
  }
}

}  // namespace kauri
