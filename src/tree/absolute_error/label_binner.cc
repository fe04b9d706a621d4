#include "tree/absolute_error/label_binner.h"

#include <algorithm>
#include <array>

#include "tree/absolute_error/label_edges.h"

namespace kauri {
namespace {

/// Returns the positions of n edges as shares of the rows. Half of them are evenly spaced; the other half is evenly
/// spaced around the quantile, as far as the nearer end on either side. For the median, all are evenly spaced.
std::vector<double> EvenShares(double quantile, std::size_t n) {
  auto const half = static_cast<double>(n + 1) / 2.0;
  auto const first = quantile < 0.5 ? 0.0 : 2.0 * quantile - 1.0;
  auto const width = 2.0 * std::min(quantile, 1.0 - quantile);
  std::vector<double> shares;
  for (auto i = 0.0; i < half; i += 1.0) {
    if (i > 0.0) shares.push_back(i / half);
    shares.push_back(first + width * (i + 0.5) / half);
  }
  return shares;
}

/// Adds edges at an eighth of the rows from either end, a sixteenth and so on, n times.
void AddTails(std::size_t n, std::vector<double>* shares) {
  auto share = 0.125;
  for (std::size_t i = 0; i < n; ++i, share /= 2.0) {
    shares->push_back(share);
    shares->push_back(1.0 - share);
  }
}

}  // namespace

std::vector<double> SharesOfEdges(double quantile) {
  constexpr std::size_t kInTail = 10;  // down to the last row of 4,096
  auto shares = EvenShares(quantile, kLabelBins - 1 - 2 * kInTail);
  AddTails(kInTail, &shares);
  std::sort(shares.begin(), shares.end());
  return shares;
}

LabelBinner::LabelBinner(FixedResiduals const& residuals)
    : residuals_(residuals), shares_(SharesOfEdges(residuals.Quantile())) {}

LabelEdges LabelBinner::EdgesOf(RowSlice const& slice) const {
  auto const stride = EdgeStride(slice.end - slice.begin);
  std::vector<float> some;
  some.reserve(kMostEdgeRows);
  for (auto position = slice.begin; position < slice.end; position += stride) {
    auto const row = RowAt(slice, position);
    if (residuals_.Of(row).weight > 0) some.push_back(residuals_.Values()[row]);
  }
  SortFloats(&some);
  LabelEdges edges;
  PickEdges(
      shares_.data(), static_cast<std::int64_t>(some.size()),
      [&some](std::int64_t i) { return some[static_cast<std::size_t>(i)]; }, edges.data());
  return edges;
}

void LabelBinner::Find(RowSlice const& slice, std::uint8_t* bins) const {
  constexpr std::int64_t kBlock = 256;
  auto const edges = EdgesOf(slice);
  std::array<float, kBlock> values{};
  for (auto first = slice.begin; first < slice.end; first += kBlock) {
    auto const n = std::min(kBlock, slice.end - first);
    for (std::int64_t i = 0; i < n; ++i)
      values[static_cast<std::size_t>(i)] = residuals_.Values()[RowAt(slice, first + i)];
    FindBins({values.data(), static_cast<std::size_t>(n)}, edges, bins + (first - slice.begin));
  }
}

}  // namespace kauri
