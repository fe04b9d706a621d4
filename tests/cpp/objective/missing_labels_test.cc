/// Label tables with missing labels (NaN), compared with tables without NaN and with each target alone.
#include <cmath>
#include <cstring>
#include <limits>

#include "objective_fixture.h"

namespace kauri {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

struct TableCase {
  std::string name;
  ParamMap params;
  float least;
  float bound;
  bool whole;
};

/// Returns all objectives that accept tables.
std::vector<TableCase> Cases() {
  return {{"reg:squarederror", {}, -3.0F, 3.0F, false},
          {"reg:squarederror", {{"scale_pos_weight", "2.5"}}, 0.0F, 2.0F, true},
          {"reg:logistic", {}, 0.0F, 1.0F, false},
          {"binary:logistic", {{"scale_pos_weight", "0.5"}}, 0.0F, 2.0F, true},
          {"binary:logitraw", {}, 0.0F, 2.0F, true},
          {"count:poisson", {}, 0.0F, 9.0F, true},
          {"reg:squaredlogerror", {}, 0.0F, 5.0F, false},
          {"reg:pseudohubererror", {{"huber_slope", "0.7"}}, -3.0F, 3.0F, false},
          {"reg:huber", {{"huber_slope", "0.7"}}, -3.0F, 3.0F, false},
          {"reg:fair", {{"fair_c", "0.7"}}, -3.0F, 3.0F, false},
          {"reg:absoluteerror", {}, -3.0F, 3.0F, false},
          {"reg:gamma", {}, 0.5F, 5.0F, false},
          {"reg:tweedie", {}, 0.0F, 5.0F, false},
          {"binary:hinge", {}, 0.0F, 2.0F, true},
          {"binary:focal", {}, 0.0F, 2.0F, true},
          {"binary:exponential", {{"scale_pos_weight", "1.7"}}, 0.0F, 2.0F, true}};
}

struct Table {
  MetaInfo full;
  MetaInfo silent;             ///< the same with some labels missing
  std::vector<float> margins;  ///< not finite for some of these
};

Table MakeTable(TableCase const& given, std::size_t n_rows, bool weighted) {
  std::size_t const n_targets = 3;
  auto labels = RandomValues(n_rows * n_targets, given.least, given.bound, 1);
  if (given.whole) {
    for (auto& label : labels) label = std::floor(label * 0.9999F);
  }
  auto const weights = weighted ? RandomValues(n_rows, 0.1F, 3.0F, 2) : std::vector<float>();
  Table table{MakeInfo(labels, weights, 3), {}, RandomValues(n_rows * n_targets, -2.0F, 2.0F, 3)};
  auto const draws = RandomValues(n_rows * n_targets, 0.0F, 1.0F, 4);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (i % n_targets == 0 || draws[i] > 0.4F) continue;  // the first target is known in all rows
    labels[i] = kNaN;
    if (draws[i] < 0.1F) table.margins[i] = draws[i] < 0.05F ? kNaN : 1e30F;
  }
  table.silent = MakeInfo(labels, weights, 3);
  return table;
}

/// The rows with a known label for one target.
struct Column {
  MetaInfo info;
  std::vector<float> margins;
  std::vector<std::size_t> elements;  ///< elements of the table
};

Column KnownColumn(Table const& table, std::size_t target) {
  Column column;
  auto const& info = table.silent;
  for (auto i = target; i < info.labels.size(); i += 3) {
    if (std::isnan(info.labels[i])) continue;
    column.info.labels.push_back(info.labels[i]);
    if (!info.weights.empty()) column.info.weights.push_back(info.weights[i / 3]);
    column.margins.push_back(table.margins[i]);
    column.elements.push_back(i);
  }
  column.info.n_rows = static_cast<std::int64_t>(column.info.labels.size());
  return column;
}

bool SameBits(GradientPair a, GradientPair b) { return std::memcmp(&a, &b, sizeof(a)) == 0; }

void ExpectColumnsAlone(TableCase const& given, Table const& table, std::vector<GradientPair> const& pairs) {
  auto const objective = MakeObjective(given.name, given.params);
  auto const is_scaled = given.name == "reg:absoluteerror";  // scaled by a sum over rows, whose order differs
  for (std::size_t target = 0; target < 3; ++target) {
    auto const column = KnownColumn(table, target);
    auto const alone = GradientsOf(*objective, column.margins, column.info);
    for (std::size_t row = 0; row < alone.size(); ++row) {
      auto const pair = pairs[column.elements[row]];
      if (is_scaled) {
        EXPECT_NEAR(pair.gradient, alone[row].gradient, 1e-5F);
        EXPECT_NEAR(pair.hessian, alone[row].hessian, 1e-5F);
      } else {
        EXPECT_TRUE(SameBits(pair, alone[row])) << given.name << " target " << target << " row " << row;
      }
    }
  }
}

TEST(MissingLabels, GradientsAreThoseOfEachTargetAlone) {
  for (auto const& given : Cases()) {
    for (std::size_t const n_rows : {5U, 1365U, 1366U, 4097U}) {
      for (bool const weighted : {false, true}) {
        auto const table = MakeTable(given, n_rows, weighted);
        auto const objective = MakeObjective(given.name, given.params);
        objective->ValidateInfo(Context(), table.silent);
        auto const pairs = GradientsOf(*objective, table.margins, table.silent);
        for (std::size_t i = 0; i < pairs.size(); ++i) {
          if (!std::isnan(table.silent.labels[i])) continue;
          EXPECT_TRUE(SameBits(pairs[i], {0.0F, 0.0F})) << given.name;
        }
        ExpectColumnsAlone(given, table, pairs);
        auto const by_threads = GradientsOf(*objective, table.margins, table.silent, 8);
        EXPECT_EQ(std::memcmp(by_threads.data(), pairs.data(), pairs.size() * sizeof(GradientPair)), 0) << given.name;
      }
    }
  }
}

TEST(MissingLabels, BaseScoresAreThoseOfEachTargetAlone) {
  for (auto const& given : Cases()) {
    for (bool const weighted : {false, true}) {
      auto const table = MakeTable(given, 5000, weighted);
      auto const objective = MakeObjective(given.name, given.params);
      auto const scores = objective->EstimateBaseScore(Context(), table.silent);
      ASSERT_EQ(scores.size(), 3U) << given.name;
      for (std::size_t target = 0; target < 3; ++target) {
        auto const alone = objective->EstimateBaseScore(Context(), KnownColumn(table, target).info);
        EXPECT_NEAR(scores[target], alone.at(0), 1e-5F * (1.0F + std::fabs(alone[0]))) << given.name << " " << target;
      }
      EXPECT_EQ(scores[0], objective->EstimateBaseScore(Context(), table.full)[0]) << given.name;
    }
  }
}

TEST(MissingLabels, ATargetOfWhichNothingIsKnownHasNoIntercept) {
  for (auto const& given : Cases()) {
    auto const objective = MakeObjective(given.name, given.params);
    auto const info = MakeInfo({1.0F, kNaN, 1.0F, kNaN, 1.0F, kNaN}, {}, 2);
    objective->ValidateInfo(Context(), info);
    ExpectParts(MessageOf(ErrorKind::kData, [&] { objective->EstimateBaseScore(Context(), info); }),
                {given.name, "labels of target 1 are NaN in all 3 rows", "leave that column out", "base_score"});
    auto const pairs = GradientsOf(*objective, std::vector<float>(6, 0.25F), info);
    EXPECT_TRUE(SameBits(pairs[1], {0.0F, 0.0F})) << given.name;
  }
}

TEST(MissingLabels, KnownCellsWithoutWeightAreAnotherMatter) {
  auto const info = MakeInfo({1.0F, kNaN, 1.0F, 2.0F}, {1.0F, 0.0F}, 2);
  ExpectParts(
      MessageOf(ErrorKind::kData, [&] { MakeObjective("reg:squarederror")->EstimateBaseScore(Context(), info); }),
      {"the weights of the 2 rows add up to 0"});
}

TEST(MissingLabels, ASingleColumnHasNone) {
  for (auto const& given : Cases()) {
    auto const objective = MakeObjective(given.name, given.params);
    ExpectParts(MessageOf(ErrorKind::kData,
                          [&] {
                            objective->ValidateInfo(Context(), MakeInfo({1.0F, kNaN}));
                          }),
                {given.name, "label nan of row 1"});
    auto const infinite = MakeInfo({1.0F, kNaN, 1.0F, std::numeric_limits<float>::infinity()}, {}, 2);
    if (given.name == "reg:logistic") {
      ExpectParts(MessageOf(ErrorKind::kData, [&] { objective->ValidateInfo(Context(), infinite); }),
                  {"row 1, target 1,"});
    }
  }
}

}  // namespace
}  // namespace kauri
