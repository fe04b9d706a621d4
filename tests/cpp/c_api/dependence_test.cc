/// The dependence of margins through the C ABI.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "c_api/support.h"
#include "support/error.h"

namespace kauri::testing {
namespace {

struct Found {
  bst_ulong n_outputs = 0;
  bst_ulong n_features = 0;
  bst_ulong n_values = 0;
  bst_ulong n_pairs = 0;
  int64_t const* begin = nullptr;
  float const* thresholds = nullptr;
  double const* values = nullptr;
  uint32_t const* pairs = nullptr;
  int32_t const* cells = nullptr;
};

int Compute(Booster const& booster, DMatrixHandle background, DMatrixHandle points, std::string const& more,
            Found* found) {
  auto const config = R"({"iteration_begin": 0, "iteration_end": 0)" + more + "}";
  return KauriBoosterDependence(booster.get(), background, points, config.c_str(), &found->n_outputs,
                                &found->n_features, &found->begin, &found->thresholds, &found->values, &found->n_values,
                                &found->n_pairs, &found->pairs, &found->cells);
}

TEST(Dependence, ThroughC) {
  Problem const problem;
  auto const booster = Train(problem.data, Logistic(), 3);
  Found found;
  EXPECT_OK(Compute(booster, problem.data.get(), problem.data.get(), R"(, "pairs": [[2, 1]])", &found));
  EXPECT_EQ(found.n_outputs, 1U);
  ASSERT_EQ(found.n_features, 4U);
  ASSERT_EQ(found.n_pairs, 1U);
  EXPECT_EQ(found.pairs[0], 1U);
  EXPECT_EQ(found.pairs[1], 2U);
  auto const cells_of = [&](std::size_t feature) { return found.begin[feature + 1] - found.begin[feature] + 2; };
  auto const n_cells = found.begin[4] + 8;
  EXPECT_EQ(static_cast<int64_t>(found.n_values), 1 + n_cells + cells_of(1) * cells_of(2));
  std::vector<double> const first(found.values, found.values + found.n_values);
  EXPECT_OK(Compute(booster, problem.data.get(), nullptr, R"(, "pairs": "together", "features": [0, 1])", &found));
  EXPECT_EQ(found.n_features, 2U);
  EXPECT_EQ(found.values[0], first[0]);
  EXPECT_OK(Compute(booster, problem.data.get(), nullptr, R"(, "distribution": "product")", &found));
  EXPECT_EQ(found.n_pairs, 0U);
}

TEST(Dependence, RefusedConfigurations) {
  Problem const problem;
  auto const booster = Train(problem.data, Logistic(), 2);
  auto const refuses = [&](std::string const& more, std::vector<std::string> const& parts) {
    Found found;
    EXPECT_EQ(Compute(booster, problem.data.get(), nullptr, more, &found), -1) << more;
    ExpectParts(XGBGetLastError(), parts);
  };
  refuses(R"(, "features": [4])", {"no feature 4"});
  refuses(R"(, "features": [1, 1])", {"feature 1", "twice"});
  refuses(R"(, "pairs": [[1, 1]])", {"pair 0", "two different features"});
  refuses(R"(, "pairs": [[1, 2], [0]])", {"pair 1", "two different features"});
  refuses(R"(, "features": [0, 1], "pairs": [[1, 2]])", {"pair 0", "list of 2"});
  refuses(R"(, "pairs": [[1, 2], [2, 1]])", {"1 and 2", "twice"});
  refuses(R"(, "pairs": [[1, -2]])", {"pair 0"});
  refuses(R"(, "pairs": "all")", {"'all'", "together"});
  refuses(R"(, "pairs": 3)", {"pairs", "list of lists"});
  refuses(R"(, "distribution": "normal")", {"'normal'", "rows or product"});
}

TEST(Dependence, RefusedRows) {
  Problem const problem;
  auto const booster = Train(problem.data, Logistic(), 2);
  auto const empty = MakeData({}, 4);
  auto const wide = MakeData({1, 2, 3, 4, 5}, 5);
  Found found;
  EXPECT_EQ(Compute(booster, empty.get(), nullptr, "", &found), -1);
  ExpectParts(XGBGetLastError(), {"background", "0 rows"});
  EXPECT_EQ(Compute(booster, wide.get(), nullptr, "", &found), -1);
  ExpectParts(XGBGetLastError(), {"5 features", "model 4"});
  EXPECT_EQ(Compute(booster, problem.data.get(), wide.get(), "", &found), -1);
  ExpectParts(XGBGetLastError(), {"5 features", "model 4"});
  EXPECT_EQ(Compute(booster, nullptr, nullptr, "", &found), -1);
  EXPECT_EQ(Compute(booster, problem.data.get(), booster.get(), "", &found), -1);
  ExpectParts(XGBGetLastError(), {"not a DMatrix"});
  EXPECT_EQ(KauriBoosterDependence(booster.get(), problem.data.get(), nullptr, "{}", nullptr, nullptr, nullptr, nullptr,
                                   nullptr, nullptr, nullptr, nullptr, nullptr),
            -1);
  ExpectParts(XGBGetLastError(), {"out_n_outputs", "null"});
}

}  // namespace
}  // namespace kauri::testing
