/// auc and aucpr: for two classes, several classes, and query groups.
#include <cmath>
#include <limits>

#include "metric_fixture.h"

namespace kauri::testing {
namespace {

/// Returns predictions in steps of 1 / levels; labels of degrees 0 to n_degrees - 1.
MetricData MakeData(std::int64_t n_rows, std::int64_t n_outputs, float levels, float n_degrees, bool weighted) {
  MetricData data;
  data.info.n_rows = n_rows;
  auto const n = static_cast<std::size_t>(n_rows);
  data.predictions = UniformValues(n * static_cast<std::size_t>(n_outputs), -1.0F, 1.0F, 31);
  for (auto& value : data.predictions) value = std::round(value * levels) / levels;  // 0 and -0 among them
  data.info.labels = UniformValues(n, 0.0F, n_degrees * 0.999F, 32);
  for (auto& label : data.info.labels) label = std::floor(label);
  if (weighted) data.info.weights = UniformValues(n, 0.0F, 3.0F, 33);
  return data;
}

/// Sets groups of `size` rows, the last shorter; every fifth is empty.
void SetGroups(MetricData* data, std::int64_t size, bool weighted) {
  auto& group_ptr = data->info.group_ptr;
  for (std::int64_t begin = 0; begin < data->info.n_rows; begin += size) {
    group_ptr.push_back(begin);
    if (group_ptr.size() % 5 == 0) group_ptr.push_back(begin);
  }
  group_ptr.push_back(data->info.n_rows);
  data->info.weights.clear();
  if (!weighted) return;
  data->info.weights = UniformValues(group_ptr.size() - 1, 0.0F, 2.0F, 34);
  data->info.weights[data->info.weights.size() / 2] = 0.0F;
}

TEST_F(DeviceMetricTest, AreasOfTwoClassesHaveTheHostsBits) {
  for (std::int64_t const n_rows : {1, 2, 31, 257, 4095, 4096, 4097, 100003}) {
    for (float const levels : {1e6F, 100.0F, 0.4F}) {  // distinct, tied, all equal
      for (bool const weighted : {false, true}) {
        auto data = MakeData(n_rows, 1, levels, 2.0F, weighted);
        ExpectTheHostsBits("auc", data, 1);
        ExpectTheHostsBits("aucpr", data, 1);
        for (std::size_t i = 0; i < data.info.labels.size(); i += 3) {
          data.info.labels[i] = static_cast<float>(i % 7) / 7.0F;
        }
        ExpectTheHostsBits("auc", data, 1);
        ExpectTheHostsBits("aucpr", data, 1);
      }
    }
  }
}

TEST_F(DeviceMetricTest, AreasOfSeveralClassesHaveTheHostsBits) {
  for (std::int64_t const n_rows : {4, 257, 20011}) {
    for (bool const weighted : {false, true}) {
      auto const data = MakeData(n_rows, 5, 50.0F, 5.0F, weighted);
      ExpectTheHostsBits("auc", data, 5);
      ExpectTheHostsBits("aucpr", data, 5);
    }
  }
}

TEST_F(DeviceMetricTest, AreasOfQueryGroupsHaveTheHostsBits) {
  for (std::int64_t const n_rows : {1, 2, 257, 4097, 30011}) {
    for (std::int64_t const size : {1, 2, 3, 50, 5000, 100000}) {
      for (bool const weighted : {false, true}) {
        auto data = MakeData(n_rows, 1, 100.0F, 5.0F, false);
        SetGroups(&data, size, weighted);
        ExpectTheHostsBits("auc", data, 1);
        for (auto& label : data.info.labels) label = label > 2.0F ? 1.0F : label > 1.0F ? 0.3F : 0.0F;
        ExpectTheHostsBits("auc", data, 1);
        ExpectTheHostsBits("aucpr", data, 1);
      }
    }
  }
}

TEST_F(DeviceMetricTest, AreasOfExtremeValues) {
  auto const infinity = std::numeric_limits<float>::infinity();
  auto const nan = std::numeric_limits<float>::quiet_NaN();
  for (auto const* name : {"auc", "aucpr"}) {
    auto data = MakeData(1000, 1, 100.0F, 2.0F, true);
    for (std::size_t i = 0; i < 1000; i += 9) data.predictions[i] = i % 2 == 0 ? infinity : -infinity;
    for (std::size_t i = 0; i < 1000; i += 7) data.info.weights[i] = i % 2 == 0 ? 1e30F : 1e-30F;
    data.info.weights[500] = -0.0F;
    ExpectTheHostsBits(name, data, 1);
    auto grouped = data;
    SetGroups(&grouped, 100, true);
    ExpectTheHostsBits(name, grouped, 1);
    data.predictions[10] = nan;
    grouped.predictions[10] = -nan;
    ExpectTheHostsBits(name, data, 1);
    ExpectTheHostsBits(name, grouped, 1);
    data.info.weights.assign(1000, 0.0F);
    ExpectTheHostsBits(name, data, 1);
  }
}

/// Needs no device.
TEST(DeviceMetricTable, TooManyPairsOfRowsAreForTheHost) {
  auto const roc = cuda::MakeDeviceMetric(*MakeMetric("auc"));
  auto const precision = cuda::MakeDeviceMetric(*MakeMetric("aucpr"));
  MetaInfo large;
  large.n_rows = 4000000;
  EXPECT_TRUE(roc->Takes(large));
  large.group_ptr = {0, 4000000};
  EXPECT_FALSE(roc->Takes(large));
  EXPECT_TRUE(precision->Takes(large));
}

}  // namespace
}  // namespace kauri::testing
