/// \file Common parts of the tests of objectives.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kauri/error.h"
#include "objective/objective_table.h"
#include "support/error.h"

namespace kauri {

inline std::unique_ptr<Objective> MakeObjective(std::string const& name, ParamMap const& params = {}) {
  Registry<ObjectiveFactory> registry("objective");
  RegisterObjectives(&registry);
  return registry.Find(name).make(params);
}

inline MetaInfo MakeInfo(std::vector<float> labels, std::vector<float> weights = {}, std::int64_t n_targets = 1) {
  MetaInfo info;
  info.n_targets = n_targets;
  info.n_rows = static_cast<std::int64_t>(labels.size()) / n_targets;
  info.labels = std::move(labels);
  info.weights = std::move(weights);
  return info;
}

inline std::vector<GradientPair> GradientsOf(Objective const& objective, std::vector<float> const& margins,
                                             MetaInfo const& info, int threads = 1) {
  Context ctx;
  ctx.threads = threads;
  std::vector<GradientPair> out(margins.size());
  objective.ComputeGradients(ctx, margins, info, 0, out);
  return out;
}

inline std::vector<float> RandomValues(std::size_t n, float low, float high, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> values(low, high);
  std::vector<float> result(n);
  for (auto& value : result) value = values(random);
  return result;
}

}  // namespace kauri
