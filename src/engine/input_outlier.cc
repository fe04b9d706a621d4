#include "engine/input_outlier.h"

#include <algorithm>
#include <cmath>
#include <sstream>

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

}  // namespace kauri
