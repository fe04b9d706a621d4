/// KauriSampleOrders, KauriOrderDiscrepancy and KauriShuffleUniformity: outputs and refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "c_api/support.h"

namespace kauri::testing {
namespace {

std::string Refused(int status) {
  EXPECT_EQ(status, -1);
  EXPECT_EQ(KauriGetLastErrorKind(), KAURI_ERROR_PARAMETER);
  return XGBGetLastError();
}

void ExpectWords(std::string const& message, std::vector<std::string> const& words) {
  for (auto const& word : words) EXPECT_NE(message.find(word), std::string::npos) << word << " not in " << message;
}

TEST(OrderCalls, WriteOrdersAndTheirDiscrepancy) {
  std::vector<std::uint32_t> orders(2 * 3 + 1, 99);
  std::vector<double> weights(2);
  ASSERT_OK(KauriSampleOrders(R"({"method": "antithetic", "d": 3, "n": 2})", orders.data(), weights.data()));
  EXPECT_EQ(orders[0], orders[5]);
  EXPECT_EQ(orders[2], orders[3]);
  EXPECT_EQ(orders[6], 99U);
  EXPECT_EQ(weights, (std::vector<double>{0.5, 0.5}));
  double found = 0.0;
  ASSERT_OK(KauriOrderDiscrepancy(2, 3, orders.data(), weights.data(), R"({"kernel": "kendall"})", &found));
  EXPECT_NEAR(found, 0.0, 1e-7);  // an order and its reverse
  ASSERT_OK(
      KauriOrderDiscrepancy(1, 3, orders.data(), std::vector<double>{1.0}.data(), R"({"kernel": "kendall"})", &found));
  EXPECT_NEAR(found, 1.0, 1e-12);
}

TEST(OrderCalls, Refusals) {
  std::vector<std::uint32_t> orders{0, 1, 2, 2, 1, 0};
  std::vector<double> weights{0.5, 0.5};
  auto const sample = [&](char const* config) {
    return Refused(KauriSampleOrders(config, orders.data(), weights.data()));
  };
  ExpectWords(sample(nullptr), {"'config'", "null"});
  ExpectWords(sample("[]"), {"JSON object"});
  ExpectWords(sample(R"({"d": 3, "n": 2})"), {"lacks", "method"});
  ExpectWords(sample(R"({"method": "mc", "n": 2})"), {"lacks", "'d'"});
  ExpectWords(sample(R"({"method": "mc", "d": 3.5, "n": 2})"), {"3.5", "integer"});
  ExpectWords(sample(R"({"method": "mc", "d": -3, "n": 2})"), {"d is 0"});
  ExpectWords(sample(R"({"method": "mc", "d": 3, "n": -1})"), {"n is -1"});
  ExpectWords(sample(R"({"method": "mc", "d": 4611686018427387904, "n": 1})"), {"1048576"});
  ExpectWords(sample(R"({"method": "herding", "d": 3, "n": 2, "lambda": Infinity})"), {"lambda is inf"});
  ExpectWords(Refused(KauriSampleOrders(R"({"method": "mc", "d": 3, "n": 2})", nullptr, weights.data())),
              {"out_orders"});
  ExpectWords(Refused(KauriSampleOrders(R"({"method": "mc", "d": 3, "n": 2})", orders.data(), nullptr)),
              {"out_weights"});
  EXPECT_EQ(orders, (std::vector<std::uint32_t>{0, 1, 2, 2, 1, 0}));

  double found = 7.0;
  auto const measure = [&](bst_ulong n, bst_ulong d, char const* config) {
    return Refused(KauriOrderDiscrepancy(n, d, orders.data(), weights.data(), config, &found));
  };
  constexpr char const* kMallows = R"({"kernel": "mallows"})";
  ExpectWords(measure(0, 3, kMallows), {"0 orders"});
  ExpectWords(measure(2, 1, kMallows), {"of 1 players"});
  ExpectWords(measure(bst_ulong{1} << 63U, 3, kMallows),
              {"9223372036854775808 orders of 3 players", "at most 366503875925", "2^40"});
  ExpectWords(measure((bst_ulong{1} << 39U) + 1, 2, kMallows), {"at most 549755813888"});
  ExpectWords(measure(1, bst_ulong{1} << 63U, kMallows), {"1048576"});
  ExpectWords(measure(3, 2, kMallows), {"order 1", "player 2", "0 to 1"});
  ExpectWords(measure(2, 3, R"({"kernel": "cayley"})"), {"'cayley'", "spearman"});
  ExpectWords(measure(2, 3, R"({"kernel": "mallows", "lambda": NaN})"), {"lambda is nan"});
  ExpectWords(Refused(KauriOrderDiscrepancy(2, 3, nullptr, weights.data(), kMallows, &found)), {"'orders'"});
  ExpectWords(Refused(KauriOrderDiscrepancy(2, 3, orders.data(), nullptr, kMallows, &found)), {"'weights'"});
  ExpectWords(Refused(KauriOrderDiscrepancy(2, 3, orders.data(), weights.data(), kMallows, nullptr)), {"'out'"});
  EXPECT_EQ(found, 7.0);
}

TEST(UniformityCalls, AStatisticAndRefusals) {
  std::vector<std::uint32_t> const table{0, 1, 2, 2, 1, 0, 0, 2, 1, 0, 2, 1};
  double statistic = 7.0;
  double p_value = 7.0;
  auto const call = [&](bst_ulong n, bst_ulong d, char const* config) {
    return KauriShuffleUniformity(n, d, table.data(), config, &statistic, &p_value);
  };
  ExpectWords(Refused(call(4, 3, nullptr)), {"'config'", "null"});
  ExpectWords(Refused(call(1, 3, "{}")), {"1 permutations of 3"});
  ExpectWords(Refused(call(4, 1, "{}")), {"of 1 players"});
  ExpectWords(Refused(call(bst_ulong{1} << 63U, 3, "{}")), {"2^40"});
  ExpectWords(Refused(call(6, 2, "{}")), {"order 1", "player 2"});
  ExpectWords(Refused(call(4, 3, R"({"lambda": 0})")), {"lambda is 0", "1 to 100"});
  ExpectWords(Refused(KauriShuffleUniformity(4, 3, nullptr, "{}", &statistic, &p_value)), {"'permutations'"});
  ExpectWords(Refused(KauriShuffleUniformity(4, 3, table.data(), "{}", nullptr, &p_value)), {"'out_statistic'"});
  ExpectWords(Refused(KauriShuffleUniformity(4, 3, table.data(), "{}", &statistic, nullptr)), {"'out_p_value'"});
  EXPECT_EQ(statistic, 7.0);
  EXPECT_EQ(p_value, 7.0);
  ASSERT_OK(call(4, 3, "{}"));
  // The first pair disagrees on all three pairs of elements, the second on none; the mean is that of 3! orders.
  auto const q = std::exp(-5.0 / 3.0);
  auto const mean = (1.0 + 2.0 * q + 2.0 * q * q + q * q * q) / 6.0;
  EXPECT_NEAR(statistic, (std::exp(-5.0) + 1.0) / 2.0 - mean, 1e-12);
  EXPECT_NEAR(p_value, std::min(1.0, 2.0 * std::exp(-4.0 * statistic * statistic)), 1e-12);
}

}  // namespace
}  // namespace kauri::testing
