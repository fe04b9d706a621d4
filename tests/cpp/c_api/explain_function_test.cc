/// KauriShapleyValues and KauriExplainFunction: outputs and refusals.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "c_api/support.h"

namespace kauri::testing {
namespace {

constexpr char const* kExact = R"({"n_outputs": 1, "method": "exact"})";

/// Two left gloves and a right one: a pair is worth 1.
int Gloves(void* user, std::uint64_t n, std::uint64_t d, std::uint8_t const* masks, double* worth) {
  if (user != nullptr) ++*static_cast<int*>(user);
  for (std::uint64_t i = 0; i < n; ++i, masks += d)
    worth[i] = (masks[0] != 0 || masks[1] != 0) && masks[2] != 0 ? 1.0 : 0.0;
  return 0;
}

int Fails(void*, std::uint64_t, std::uint64_t, std::uint8_t const*, double*) { return 7; }

int IsNaN(void*, std::uint64_t, std::uint64_t, std::uint8_t const*, double* worth) {
  worth[0] = std::nan("");
  return 0;
}

int Product(void*, std::uint64_t n, std::uint64_t n_cols, double const* rows, double* out) {
  for (std::uint64_t i = 0; i < n; ++i, rows += n_cols) out[i] = rows[0] * rows[1];
  return 0;
}

int RowsFail(void*, std::uint64_t, std::uint64_t, double const*, double*) { return -3; }

/// Output arguments, and the calls.
struct Results {
  std::vector<double> values = std::vector<double>(12, 99.0);
  std::vector<double> errors = std::vector<double>(12, 99.0);
  std::vector<double> base = std::vector<double>(2, 99.0);
  std::vector<bst_ulong> n_evals = std::vector<bst_ulong>(4, 99);
  char const* method = nullptr;

  int Game(KauriGame* game, void* user, bst_ulong d, char const* config) {
    return KauriShapleyValues(game, user, d, config, values.data(), errors.data(), base.data(), n_evals.data(),
                              &method);
  }
  int Function(KauriRowFunction* function, bst_ulong n_cols, char const* config) {
    return KauriExplainFunction(function, nullptr, rows.data(), 2, background.data(), 2, n_cols, config, values.data(),
                                errors.data(), base.data(), n_evals.data(), &method);
  }

  std::vector<double> rows{2.0, 3.0, 1.0, 1.0};
  std::vector<double> background{0.0, 0.0, 1.0, 1.0};
};

void ExpectRefused(int status, int kind, std::vector<std::string> const& words) {
  EXPECT_EQ(status, -1);
  EXPECT_EQ(KauriGetLastErrorKind(), kind);
  std::string const message = XGBGetLastError();
  for (auto const& word : words) EXPECT_NE(message.find(word), std::string::npos) << word << " not in " << message;
}

TEST(ShapleyCall, DividesTheGloves) {
  Results results;
  int n_calls = 0;
  ASSERT_OK(results.Game(&Gloves, &n_calls, 3, kExact));
  EXPECT_NEAR(results.values[0], 1.0 / 6.0, 1e-15);
  EXPECT_NEAR(results.values[2], 4.0 / 6.0, 1e-15);
  EXPECT_EQ(results.values[3], 99.0);
  EXPECT_EQ(results.errors[0], 0.0);
  EXPECT_EQ(results.base[0], 0.0);
  EXPECT_EQ(results.n_evals[0], 8U);
  EXPECT_STREQ(results.method, "exact");
  EXPECT_GT(n_calls, 0);
  ASSERT_OK(results.Game(&Gloves, nullptr, 3, R"({"n_outputs": 1, "method": "auto", "n_orders": 2})"));
  EXPECT_NEAR(results.values[0] + results.values[1] + results.values[2], 1.0, 1e-14);
}

TEST(ShapleyCall, Refusals) {
  Results results;
  auto const parameter = KAURI_ERROR_PARAMETER;
  ExpectRefused(results.Game(nullptr, nullptr, 3, kExact), parameter, {"'game'", "null"});
  ExpectRefused(results.Game(&Gloves, nullptr, 3, nullptr), parameter, {"'config'"});
  ExpectRefused(results.Game(&Gloves, nullptr, 0, kExact), parameter, {"n_players is 0"});
  ExpectRefused(results.Game(&Gloves, nullptr, bst_ulong{1} << 40U, kExact), parameter, {"1099511627776"});
  ExpectRefused(results.Game(&Gloves, nullptr, 25, kExact), parameter, {"2^25"});
  ExpectRefused(results.Game(&Gloves, nullptr, 3, R"({"method": "exact"})"), parameter, {"n_outputs"});
  ExpectRefused(results.Game(&Gloves, nullptr, 3, R"({"n_outputs": 0, "method": "exact"})"), parameter,
                {"n_outputs is 0"});
  ExpectRefused(results.Game(&Gloves, nullptr, 3, R"({"n_outputs": 1})"), parameter, {"method"});
  ExpectRefused(results.Game(&Gloves, nullptr, 3, R"({"n_outputs": 1, "method": "x"})"), parameter, {"'x'"});
  ExpectRefused(results.Game(&Gloves, nullptr, 3, R"({"n_outputs": 1, "method": "mc", "tolerance": NaN})"), parameter,
                {"tolerance is nan"});
  ExpectRefused(results.Game(&Fails, nullptr, 3, kExact), KAURI_ERROR_DATA, {"game returned 7"});
  ExpectRefused(results.Game(&IsNaN, nullptr, 3, kExact), KAURI_ERROR_DATA, {"coalition 0", "finite"});
  ExpectRefused(KauriShapleyValues(&Gloves, nullptr, 3, kExact, nullptr, results.errors.data(), results.base.data(),
                                   results.n_evals.data(), &results.method),
                parameter, {"out_values"});
  EXPECT_EQ(results.values, std::vector<double>(12, 99.0));
}

TEST(ExplainFunctionCall, ExplainsAProduct) {
  Results results;
  constexpr char const* kTwo = R"({"n_outputs": 1, "method": "exact", "players": [[0], [1]]})";
  ASSERT_OK(results.Function(&Product, 2, kTwo));
  // f = 6 for the first row; 0.5 on average of the background; x0 alone (2 * 0 + 2 * 1) / 2 = 1, x1 alone 1.5.
  EXPECT_NEAR(results.values[0], 0.5 * ((1.0 - 0.5) + (6.0 - 1.5)), 1e-14);
  EXPECT_NEAR(results.values[1], 0.5 * ((1.5 - 0.5) + (6.0 - 1.0)), 1e-14);
  EXPECT_EQ(results.base[0], 0.5);
  EXPECT_EQ(results.n_evals[1], 4U);
  constexpr char const* kPair = R"({"n_outputs": 1, "method": "auto", "players": [[0, 1]], "batch_rows": 1})";
  ASSERT_OK(results.Function(&Product, 2, kPair));
  EXPECT_NEAR(results.values[0], 5.5, 1e-14);
}

TEST(ExplainFunctionCall, Refusals) {
  Results results;
  auto const parameter = KAURI_ERROR_PARAMETER;
  constexpr char const* kTwo = R"({"n_outputs": 1, "method": "exact", "players": [[0], [1]]})";
  ExpectRefused(results.Function(nullptr, 2, kTwo), parameter, {"'function'"});
  ExpectRefused(results.Function(&RowsFail, 2, kTwo), KAURI_ERROR_DATA, {"function returned -3"});
  ExpectRefused(results.Function(&Product, bst_ulong{1} << 50U, kTwo), parameter, {"n_cols"});
  ExpectRefused(results.Function(&Product, 2, kExact), parameter, {"players"});
  ExpectRefused(results.Function(&Product, 2, R"({"n_outputs": 1, "method": "exact", "players": [0]})"), parameter,
                {"players", "list of lists"});
  ExpectRefused(results.Function(&Product, 2, R"({"n_outputs": 1, "method": "exact", "players": [[2]]})"), parameter,
                {"column 2"});
  ExpectRefused(
      results.Function(&Product, 2, R"({"n_outputs": 1, "method": "exact", "players": [[0]], "batch_rows": -1})"),
      parameter, {"batch_rows is -1"});
  ExpectRefused(
      KauriExplainFunction(&Product, nullptr, nullptr, 1, results.background.data(), 1, 2, kTwo, results.values.data(),
                           results.errors.data(), results.base.data(), results.n_evals.data(), &results.method),
      parameter, {"'rows'"});
  results.values.assign(12, 99.0);
  ExpectRefused(KauriExplainFunction(&Product, nullptr, results.rows.data(), 2, results.background.data(), 0, 2, kTwo,
                                     results.values.data(), results.errors.data(), results.base.data(),
                                     results.n_evals.data(), &results.method),
                KAURI_ERROR_DATA, {"background has 0 rows"});
  EXPECT_EQ(results.values, std::vector<double>(12, 99.0));
}

}  // namespace
}  // namespace kauri::testing
