/// Means over elements and classes.
#include <limits>
#include <map>
#include <set>
#include <string>

#include "metric_fixture.h"

namespace kauri::testing {
namespace {

/// With n_classes = 0, labels are in [0, 1], or 0 and 1, and some predictions are at both ends.
MetricData MakeData(std::int64_t n_rows, std::int64_t n_targets, std::int64_t n_classes, bool weighted) {
  MetricData data;
  data.info.n_rows = n_rows;
  data.info.n_targets = n_targets;
  auto const n_labels = static_cast<std::size_t>(n_rows * n_targets);
  data.info.labels = UniformValues(n_labels, 0.0F, n_classes > 0 ? static_cast<float>(n_classes) * 0.999F : 1.0F, 21);
  for (std::size_t i = 0; i < n_labels; ++i) {
    if (n_classes > 0 || i % 3 == 0) data.info.labels[i] = std::floor(data.info.labels[i] * 1.001F);
  }
  if (weighted) data.info.weights = UniformValues(static_cast<std::size_t>(n_rows), 0.0F, 2.0F, 22);
  data.predictions = UniformValues(n_labels * static_cast<std::size_t>(n_classes > 0 ? n_classes : 1), 0.0F, 1.0F, 23);
  for (std::size_t i = 0; i < data.predictions.size(); i += 7) data.predictions[i] = static_cast<float>(i % 2);
  return data;
}

TEST_F(DeviceMetricTest, MeansOfElementsHaveTheHostsBits) {
  for (std::int64_t const n_rows : {1, 7, 8, 9, 255, 4095, 4096, 4097, 100003}) {
    for (bool const weighted : {false, true}) {
      for (std::int64_t const n_targets : {1, 3}) {
        auto const data = MakeData(n_rows, n_targets, 0, weighted);
        for (auto const* name :
             {"rmse", "mae", "logloss", "error", "error@0.7", "error@0.123456789", "poisson-nloglik", "rmsle", "mape",
              "gamma-nloglik", "gamma-deviance", "tweedie-nloglik@1.5", "tweedie-nloglik@1.23456789"}) {
          ExpectTheHostsBits(name, data, n_targets);
        }
      }
    }
  }
}

TEST_F(DeviceMetricTest, MeansOfTablesWithMissingLabelsHaveTheHostsBits) {
  auto const nan = std::numeric_limits<float>::quiet_NaN();
  for (std::int64_t const n_rows : {1, 9, 1365, 1366, 4097, 100003}) {
    for (bool const weighted : {false, true}) {
      auto data = MakeData(n_rows, 3, 0, weighted);
      for (std::size_t i = 1; i < data.info.labels.size(); ++i) {
        if (i * 7 % 5 > 1) continue;
        data.info.labels[i] = nan;
        if (i % 4 == 0) data.predictions[i] = i % 8 == 0 ? nan : std::numeric_limits<float>::infinity();
      }
      for (auto const* name :
           {"rmse", "mae", "logloss", "error", "error@0.7", "poisson-nloglik", "rmsle", "mape", "mphe", "huber", "fair",
            "focal", "exploss", "gamma-nloglik", "gamma-deviance", "tweedie-nloglik@1.5"}) {
        ExpectTheHostsBits(name, data, 3);
      }
    }
  }
}

/// The host's version reports this with a message.
TEST_F(DeviceMetricTest, TablesOfWhichNothingIsKnownAreTheHosts) {
  auto data = MakeData(10, 3, 0, false);
  data.info.labels.assign(30, std::numeric_limits<float>::quiet_NaN());
  EXPECT_FALSE(cuda::MakeDeviceMetric(*MakeMetric("rmse"))->Takes(data.info));
  data.info.labels.back() = 1.0F;
  EXPECT_TRUE(cuda::MakeDeviceMetric(*MakeMetric("rmse"))->Takes(data.info));
}

TEST_F(DeviceMetricTest, MeansOfClassesHaveTheHostsBits) {
  for (std::int64_t const n_rows : {1, 33, 4096, 20011}) {
    for (std::int64_t const n_classes : {2, 7}) {
      for (bool const weighted : {false, true}) {
        auto const data = MakeData(n_rows, 1, n_classes, weighted);
        ExpectTheHostsBits("merror", data, n_classes);
        ExpectTheHostsBits("mlogloss", data, n_classes);
      }
    }
  }
}

TEST_F(DeviceMetricTest, MeansOfAlphasHaveTheHostsBits) {
  for (std::int64_t const n_rows : {1, 33, 1365, 1366, 20011}) {  // 3 * 1365 elements are one block minus one element
    for (bool const weighted : {false, true}) {
      auto const one = MakeData(n_rows, 1, 0, weighted);
      auto three = one;
      three.predictions = UniformValues(static_cast<std::size_t>(3 * n_rows), 0.0F, 1.0F, 24);
      for (std::string const name : {"quantile", "expectile"}) {
        ExpectTheHostsBits(name, one, 1, {{name + "_alpha", "0.3"}});
        ExpectTheHostsBits(name, three, 3, {{name + "_alpha", "[0.1,0.5,0.9]"}});
      }
      ExpectTheHostsBits("mphe", one, 1, {{"huber_slope", "0.4"}});
      ExpectTheHostsBits("huber", one, 1, {{"huber_slope", "0.4"}});
      ExpectTheHostsBits("fair", one, 1, {{"fair_c", "0.4"}});
      ExpectTheHostsBits("focal", one, 1, {{"focal_gamma", "1.5"}, {"focal_alpha", "0.4"}});
    }
  }
}

TEST_F(DeviceMetricTest, MeansWithinBoundsHaveTheHostsBits) {
  for (std::int64_t const n_rows : {1, 33, 4097, 20011}) {
    for (bool const weighted : {false, true}) {
      auto data = MakeData(n_rows, 1, 0, weighted);
      auto const n = static_cast<std::size_t>(n_rows);
      data.info.label_lower_bound = UniformValues(n, 0.1F, 2.0F, 25);
      data.info.label_upper_bound = data.info.label_lower_bound;
      for (std::size_t row = 0; row < n; row += 3) data.info.label_upper_bound[row] += 2.0F;
      for (std::size_t row = 1; row < n; row += 3) data.info.label_lower_bound[row] = 0.0F;
      ExpectTheHostsBits("interval-regression-accuracy", data, 1);
      for (auto const* distribution : {"normal", "logistic", "extreme"}) {
        ExpectTheHostsBits("aft-nloglik", data, 1, {{"aft_loss_distribution", distribution}});
      }
    }
  }
}

/// Integral times, many of them equal, or none; also censored times.
TEST_F(DeviceMetricTest, CoxHasTheHostsBits) {
  for (std::int64_t const n_rows : {1, 33, 4095, 4096, 4097, 100003}) {
    for (float const ties : {1.0F, 1e-6F}) {
      auto data = MakeData(n_rows, 1, 0, false);
      auto const n = static_cast<std::size_t>(n_rows);
      data.predictions = UniformValues(n, 0.01F, 7.0F, 26);
      data.info.labels = UniformValues(n, 0.0F, 20.0F, 27);
      for (std::size_t row = 0; row < n; ++row) {
        auto const time = std::floor(data.info.labels[row] / ties) * ties;
        data.info.labels[row] = row % 3 == 1 ? -time : time;
      }
      ExpectTheHostsBits("cox-nloglik", data, 1);
    }
  }
}

TEST_F(DeviceMetricTest, CoxWithoutAnEventIsNotANumber) {
  auto data = MakeData(50, 1, 0, false);
  data.info.labels.assign(50, -1.0F);
  ExpectTheHostsBits("cox-nloglik", data, 1);
}

TEST_F(DeviceMetricTest, WeightsOfZero) {
  auto data = MakeData(100, 1, 0, true);
  data.info.weights.assign(100, 0.0F);
  ExpectTheHostsBits("rmse", data, 1);
}

/// Needs no device.
TEST(DeviceMetricTable, WhichRegisteredMetricsAreHostMetrics) {
  std::map<std::string, std::string> const arguments{{"tweedie-nloglik", "@1.5"}, {"ams", "@0.15"}};
  std::set<std::string> on_host;
  ParamMap const params{{"quantile_alpha", "0.5"}, {"expectile_alpha", "0.5"}};
  for (auto const& name : GetRegistries().metrics.Names()) {
    auto const argument = arguments.find(name);
    auto const full_name = argument == arguments.end() ? name : name + argument->second;
    auto of_metric = params;
    if (name == "nll" || name == "crps") of_metric["objective"] = "dist:normal";
    if (cuda::MakeDeviceMetric(*MakeMetric(full_name, of_metric)) == nullptr) on_host.insert(name);
  }
  EXPECT_EQ(on_host, (std::set<std::string>{"ams", "auc_mu", "crps", "nll", "r2"}));
}

}  // namespace
}  // namespace kauri::testing
