#include "tree/absolute_error/label_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "tree/absolute_error/label_gains.h"
#include "tree/absolute_error/naive_errors.h"

namespace kauri {
namespace {

using testing::MakeRows;
using testing::Rows;

/// A node of all rows, and the structures that a search prepares for it.
struct Prepared {
  std::unique_ptr<BinMatrix> bins;
  std::unique_ptr<FixedResiduals> residuals;
  std::vector<FixedPair> pairs;
  std::unique_ptr<LabelRows> rows;
  LabelBins node;

  explicit Prepared(Rows const& from, int max_bin) {
    auto const data = testing::MakeMatrix(from.values, from.n_cols, from.sparse);
    bins = std::make_unique<BinMatrix>(Context{}, *data, MakeQuantileCuts(Context{}, *data, max_bin));
    residuals = std::make_unique<FixedResiduals>(Context{}, from.Errors(), Span<std::uint8_t const>{});
    for (std::size_t row = 0; row < from.residuals.size(); ++row)
      pairs.push_back({static_cast<std::int32_t>(row), static_cast<std::int32_t>(row % 5)});
    rows = std::make_unique<LabelRows>(*residuals, pairs);
    node = rows->Sort({nullptr, 0, bins->NumRows()});
  }

  std::uint32_t CodeOf(std::uint32_t row, std::uint32_t feature) const {
    return std::min(bins->FindCode(row, feature), bins->NumBins(feature));
  }
};

/// Returns few rows of many codes, many rows of few codes, rows without weight, and sparse data.
std::vector<Rows> Cases() {
  std::vector<Rows> cases{MakeRows(0, 0.0, 1), MakeRows(1, 0.2, 2), MakeRows(2, 0.2, 3), MakeRows(2, 0.0, 4)};
  cases[1].sparse = true;
  for (std::size_t row = 0; row < 1500; ++row) cases[2].weights.push_back(static_cast<float>(row % 3));
  cases[3].above = 0.1;
  cases[3].below = 0.9;
  return cases;
}

void ExpectSums(Prepared const& prepared, LabelTable const& table, std::uint32_t code, std::size_t place) {
  for (std::size_t known = 0; known < table.Known().size(); ++known) {
    ResidualSum sum;
    for (auto at = prepared.node.begin[0]; at < prepared.node.begin[table.Known()[known] + 1]; ++at) {
      auto const row = prepared.rows->Rows()[at];
      if (prepared.CodeOf(row, 1) <= code) sum += prepared.residuals->Of(row);
    }
    EXPECT_EQ(table.Sums(known)[place].weight, sum.weight);
    EXPECT_EQ(table.Sums(known)[place].product, sum.product);
  }
}

void ExpectPairs(Prepared const& prepared, LabelTable const& table, std::uint32_t code, std::size_t place) {
  std::vector<FixedSum> pairs;
  std::vector<std::int64_t> n_rows;
  table.AddPairs(&pairs);
  table.CountRows(&n_rows);
  FixedSum sum;
  std::int64_t count = 0;
  for (std::uint32_t row = 0; row < prepared.pairs.size(); ++row) {
    if (prepared.CodeOf(row, 1) > code) continue;
    sum += prepared.pairs[row];
    ++count;
  }
  EXPECT_EQ(pairs[place + 1], sum);
  EXPECT_EQ(n_rows[place + 1], count);
}

TEST(LabelTable, HoldsTheSumsOfLowerPlacesAndLabelBins) {
  for (auto const& from : Cases()) {
    for (auto const max_bin : {8, 900}) {
      Prepared const prepared(from, max_bin);
      LabelTable table;
      table.Start(*prepared.bins, 1, *prepared.rows, prepared.node);
      auto const n_groups = table.Known().size();
      table.Refine(0);
      table.Refine(table.Known().size() - 1);
      EXPECT_GT(table.Known().size(), n_groups);
      auto const codes = table.Codes();
      for (std::size_t index = 0; index < codes.size(); index += 1 + codes.size() / 9) {
        ExpectSums(prepared, table, codes[index], table.PlaceOf(index));
        ExpectPairs(prepared, table, codes[index], table.PlaceOf(index));
      }
    }
  }
}

/// Returns the gain of the boundary after a code, computed from single label bins.
double GainOf(Prepared const& prepared, std::uint32_t feature, std::uint32_t last, bool missing_left) {
  auto const& node = prepared.node;
  auto const* const residuals = prepared.rows->Residuals();
  LabelSums sums{};
  for (std::size_t bin = 0; bin < kLabelBins; ++bin) {
    for (auto at = node.begin[bin]; at < node.begin[bin + 1]; ++at) sums[bin] += residuals[at];
  }
  BinSides sides(*prepared.residuals, sums, node.all);
  for (std::size_t bin = 0; bin < kLabelBins; ++bin) {
    for (auto at = node.begin[bin]; at < node.begin[bin + 1]; ++at) {
      auto const code = prepared.CodeOf(prepared.rows->Rows()[at], feature);
      auto const is_missing = code == prepared.bins->NumBins(feature);
      if (is_missing ? missing_left : code <= last) sides.MoveLeft(bin, residuals[at]);
    }
  }
  return node.errors - sides.LeftErrors() - sides.RightErrors();
}

/// Compares the gain of every boundary with single label bins: equal bits if the quantiles lie in such bins, and a
/// bound otherwise. Returns the numbers of both cases.
std::array<int, 2> CompareGains(Prepared const& prepared, std::uint32_t feature, bool missing_left) {
  LabelTable table;
  table.Start(*prepared.bins, feature, *prepared.rows, prepared.node);
  std::array<int, 2> counts{};
  if (missing_left && !table.HasMissing()) return counts;
  PlaceGains found;
  found.Reserve(table.NumPlaces());
  FillGains(*prepared.residuals, {table, missing_left}, prepared.node.errors, 0, table.NumPlaces() - 1, &found);
  auto const codes = table.Codes();
  for (std::size_t index = 0; index + 1 < codes.size(); ++index) {
    auto const gain = GainOf(prepared, feature, codes[index], missing_left);
    auto const place = table.PlaceOf(index);
    auto const is_exact = table.IsSingle(found.lefts[place]) && table.IsSingle(found.rights[place]);
    if (is_exact) {
      EXPECT_EQ(found.gains[place], gain);
    } else {
      EXPECT_GE(found.gains[place] + prepared.residuals->Rounding(), gain);
    }
    ++counts[is_exact ? 0 : 1];
  }
  return counts;
}

TEST(LabelGains, AreThoseOfSingleLabelBinsOrBounds) {
  std::array<int, 2> counts{};
  for (auto const& from : Cases()) {
    for (auto const max_bin : {8, 256}) {
      Prepared const prepared(from, max_bin);
      for (std::uint32_t feature = 0; feature < 3; ++feature) {
        for (auto const missing_left : {false, true}) {
          auto const more = CompareGains(prepared, feature, missing_left);
          for (std::size_t i = 0; i < 2; ++i) counts[i] += more[i];
        }
      }
    }
  }
  EXPECT_GT(counts[0], 500);
  EXPECT_GT(counts[1], 500);
}

}  // namespace
}  // namespace kauri
