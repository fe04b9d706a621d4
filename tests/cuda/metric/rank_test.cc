/// ndcg, map and pre.
#include <cmath>
#include <limits>

#include "metric_fixture.h"

namespace kauri::testing {
namespace {

/// With group_size = 0 there are no groups.
MetricData MakeData(std::int64_t n_rows, std::int64_t group_size, float n_degrees, bool weighted) {
  MetricData data;
  data.info.n_rows = n_rows;
  auto const n = static_cast<std::size_t>(n_rows);
  data.predictions = UniformValues(n, -1.0F, 1.0F, 41);
  for (auto& value : data.predictions) value = std::round(value * 40.0F) / 40.0F;
  data.info.labels = UniformValues(n, 0.0F, n_degrees * 0.999F, 42);
  for (auto& label : data.info.labels) label = std::floor(label);
  for (std::int64_t begin = 0; group_size > 0 && begin < n_rows; begin += group_size) {
    data.info.group_ptr.push_back(begin);
    if (data.info.group_ptr.size() % 6 == 0) data.info.group_ptr.push_back(begin);
  }
  if (group_size > 0) data.info.group_ptr.push_back(n_rows);
  auto const n_groups = group_size > 0 ? data.info.group_ptr.size() - 1 : 1;
  if (weighted) data.info.weights = UniformValues(n_groups, 0.0F, 2.0F, 43);
  return data;
}

TEST_F(DeviceMetricTest, RanksHaveTheHostsBits) {
  for (std::int64_t const n_rows : {1, 2, 33, 257, 4097, 100003}) {
    for (std::int64_t const group_size : {0, 1, 7, 100, 5000}) {
      for (bool const weighted : {false, true}) {
        auto const degrees = MakeData(n_rows, group_size, 5.0F, weighted);
        for (auto const* name : {"ndcg", "ndcg@1", "ndcg@10-", "ndcg@1000000"}) {
          ExpectTheHostsBits(name, degrees, 1);
          ExpectTheHostsBits(name, degrees, 1, {{"ndcg_exp_gain", "0"}});
        }
        auto const binary = MakeData(n_rows, group_size, 2.0F, weighted);
        for (auto const* name : {"map", "map@1", "map@5-", "map@1000000", "pre", "pre@3", "pre@1000000"}) {
          ExpectTheHostsBits(name, binary, 1);
        }
      }
    }
  }
}

TEST_F(DeviceMetricTest, RanksOfExtremeValues) {
  auto const infinity = std::numeric_limits<float>::infinity();
  auto data = MakeData(1000, 90, 2.0F, true);
  for (std::size_t i = 0; i < 1000; i += 9) data.predictions[i] = i % 2 == 0 ? infinity : -infinity;
  for (std::size_t i = 0; i < 90; ++i) data.info.labels[i] = 0.0F;
  for (auto const* name : {"ndcg", "ndcg-", "map", "map-", "pre"}) ExpectTheHostsBits(name, data, 1);
  auto large = data;
  for (auto& label : large.info.labels) label *= 31.0F;
  ExpectTheHostsBits("ndcg", large, 1);
  for (auto& label : large.info.labels) label = -label * 1e6F;
  ExpectTheHostsBits("ndcg", large, 1, {{"ndcg_exp_gain", "0"}});
  data.predictions[999] = std::numeric_limits<float>::quiet_NaN();
  for (auto const* name : {"ndcg", "map@1", "pre@1"}) ExpectTheHostsBits(name, data, 1);
  data.info.weights.assign(data.info.weights.size(), 0.0F);
  data.predictions[999] = 0.0F;
  for (auto const* name : {"ndcg", "map", "pre"}) ExpectTheHostsBits(name, data, 1);
}

}  // namespace
}  // namespace kauri::testing
