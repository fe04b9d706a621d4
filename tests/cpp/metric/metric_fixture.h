/// \file Common parts of the tests of metrics.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kauri/error.h"
#include "metric/metric_table.h"
#include "support/error.h"

namespace kauri {

/// Returns a metric by its name with argument, as users write it: error@0.7.
inline std::unique_ptr<Metric> MakeMetric(std::string const& name, ParamMap const& params = {}) {
  Registry<MetricFactory> registry("metric");
  RegisterMetrics(&registry);
  auto const at = name.find('@');
  return registry.Find(name.substr(0, at)).make(at == std::string::npos ? "" : name.substr(at + 1), params);
}

inline MetaInfo MakeInfo(std::vector<float> labels, std::vector<float> weights = {}, std::int64_t n_targets = 1) {
  MetaInfo info;
  info.n_targets = n_targets;
  info.n_rows = static_cast<std::int64_t>(labels.size()) / n_targets;
  info.labels = std::move(labels);
  info.weights = std::move(weights);
  return info;
}

/// Adds query groups of these sizes.
inline MetaInfo Grouped(MetaInfo info, std::vector<std::int64_t> const& sizes) {
  info.group_ptr = {0};
  for (auto const size : sizes) info.group_ptr.push_back(info.group_ptr.back() + size);
  return info;
}

inline double Evaluate(std::string const& name, std::vector<float> const& predictions, MetaInfo const& info,
                       int threads = 1) {
  Context ctx;
  ctx.threads = threads;
  return MakeMetric(name)->Evaluate(ctx, predictions, info);
}

inline std::vector<float> RandomValues(std::size_t n, float low, float high, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> values(low, high);
  std::vector<float> result(n);
  for (auto& value : result) value = values(random);
  return result;
}

/// Returns value(i) for i below n.
inline std::vector<float> Values(int n, std::function<float(int)> const& value) {
  std::vector<float> result;
  for (int i = 0; i < n; ++i) result.push_back(value(i));
  return result;
}

}  // namespace kauri
