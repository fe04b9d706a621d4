#include "kauri/objective.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "cuda/objective/device_objective.h"
#include "support/device_fixture.h"

namespace kauri::testing {
namespace {

struct ObjectiveCase {
  char const* name;
  ParamMap params;
  std::int64_t n_outputs;
  float label_bound;  ///< labels are integers below it; 0: any in [0, 1)
};

std::unique_ptr<Objective> MakeObjective(ObjectiveCase const& given) {
  return GetRegistries().objectives.Find(given.name).make(given.params);
}

std::vector<ObjectiveCase> Cases() {
  return {{"reg:squarederror", {}, 1, 0.0F},
          {"reg:squarederror", {{"scale_pos_weight", "2.7"}}, 1, 2.0F},
          {"reg:squarederror", {}, 3, 0.0F},
          {"reg:logistic", {}, 1, 0.0F},
          {"binary:logistic", {{"scale_pos_weight", "0.3"}}, 1, 2.0F},
          {"binary:logistic", {}, 2, 2.0F},
          {"binary:logitraw", {}, 1, 2.0F},
          {"count:poisson", {{"max_delta_step", "0.45"}}, 1, 9.0F},
          {"reg:squaredlogerror", {}, 1, 0.0F},
          {"reg:pseudohubererror", {{"huber_slope", "1.7"}}, 1, 0.0F},
          {"reg:huber", {{"huber_slope", "0.7"}}, 2, 0.0F},
          {"reg:fair", {{"fair_c", "1.7"}}, 1, 0.0F},
          {"reg:absoluteerror", {}, 2, 0.0F},
          {"reg:gamma", {{"scale_pos_weight", "0.3"}}, 1, 9.0F},
          {"reg:tweedie", {{"tweedie_variance_power", "1.3"}}, 1, 9.0F},
          {"binary:hinge", {}, 1, 2.0F},
          {"binary:focal", {}, 1, 2.0F},
          {"binary:exponential", {{"scale_pos_weight", "1.7"}}, 1, 2.0F},
          {"binary:focal", {{"focal_gamma", "0.5"}, {"focal_alpha", "0.6"}}, 1, 2.0F},
          {"reg:quantileerror", {{"quantile_alpha", "0.3"}}, 1, 0.0F},
          {"reg:quantileerror", {{"quantile_alpha", "[0.1,0.5,0.9]"}}, 3, 0.0F},
          {"reg:expectileerror", {{"expectile_alpha", "0.3"}}, 1, 0.0F},
          {"reg:expectileerror", {{"expectile_alpha", "[0.1,0.5,0.9]"}}, 3, 0.0F},
          {"survival:cox", {}, 1, 9.0F},
          {"survival:aft", {}, 1, 0.0F},
          {"survival:aft", {{"aft_loss_distribution", "logistic"}, {"aft_loss_distribution_scale", "1.3"}}, 1, 0.0F},
          {"survival:aft", {{"aft_loss_distribution", "extreme"}, {"aft_loss_distribution_scale", "0.7"}}, 1, 0.0F},
          {"multi:softmax", {{"num_class", "2"}}, 2, 2.0F},
          {"multi:softprob", {{"num_class", "7"}}, 7, 7.0F}};
}

/// Adds intervals of all kinds: points, open on either side or on both, closed.
void AddBounds(MetaInfo* info) {
  auto const n_rows = static_cast<std::size_t>(info->n_rows);
  info->label_lower_bound = UniformValues(n_rows, 0.01F, 4.0F, 14);
  info->label_upper_bound = info->label_lower_bound;
  for (std::size_t row = 0; row < n_rows; ++row) {
    if (row % 7 == 1) info->label_upper_bound[row] = std::numeric_limits<float>::infinity();
    if (row % 7 > 3) info->label_upper_bound[row] += 1.0F;
    if (row % 5 == 2) info->label_lower_bound[row] = 0.0F;
  }
}

MetaInfo MakeInfo(ObjectiveCase const& given, std::int64_t n_rows, bool weighted) {
  MetaInfo info;
  info.n_rows = n_rows;
  auto const* alphas = std::strstr(given.name, "tileerror");
  auto const is_class = std::string(given.name).rfind("multi", 0) == 0;
  info.n_targets = is_class || alphas != nullptr ? 1 : given.n_outputs;
  info.labels = UniformValues(static_cast<std::size_t>(n_rows * info.n_targets), 0.0F,
                              given.label_bound == 0.0F ? 1.0F : given.label_bound * 0.9999F, 11);
  if (given.label_bound > 0.0F) {
    for (auto& label : info.labels) label = std::floor(label);
  }
  if (weighted) info.weights = UniformValues(static_cast<std::size_t>(n_rows), 0.0F, 3.0F, 12);
  AddBounds(&info);
  return info;
}

/// Returns ordinary margins, and some at which exponentials under- or overflow.
std::vector<float> MakeMargins(std::size_t n) {
  auto margins = UniformValues(n, -6.0F, 6.0F, 13);
  std::vector<float> const extremes{0.0F, -0.0F, 88.7F, -88.7F, -110.0F, 1e-30F, 30.0F, -200.0F};
  for (std::size_t i = 0; i < n; i += 5) margins[i] = extremes[i / 5 % extremes.size()];
  return margins;
}

class DeviceObjectiveTest : public DeviceTest {
 protected:
  std::vector<GradientPair> GradientsOnDevice(Objective const& objective, std::vector<float> const& margins,
                                              MetaInfo const& info) const {
    auto const on_device = cuda::MakeDeviceObjective(objective);
    auto const labels = cuda::ToDevice(Cuda(), info.labels);
    auto const weights = cuda::ToDevice(Cuda(), info.weights);
    auto const device_margins = cuda::ToDevice(Cuda(), margins);
    auto const lower = cuda::ToDevice(Cuda(), info.label_lower_bound);
    auto const upper = cuda::ToDevice(Cuda(), info.label_upper_bound);
    cuda::Buffer<GradientPair> out(Cuda(), margins.size());
    on_device->ComputeGradients(
        Cuda(), OnDevice(), device_margins.span(),
        {info.n_rows, info.n_targets, labels.span(), weights.span(), {}, lower.span(), upper.span()}, 0, out.span());
    return Fetch(Cuda(), out);
  }
};

std::vector<float> Flat(std::vector<GradientPair> const& pairs) {
  std::vector<float> values;
  for (auto const& pair : pairs) values.insert(values.end(), {pair.gradient, pair.hessian});
  return values;
}

TEST_F(DeviceObjectiveTest, GradientsHaveTheHostsBits) {
  for (auto const& given : Cases()) {
    for (std::int64_t const n_rows : {0, 1, 31, 257, 100003}) {
      for (bool const weighted : {false, true}) {
        SCOPED_TRACE(std::string(given.name) + " " + std::to_string(n_rows));
        auto const objective = MakeObjective(given);
        auto const info = MakeInfo(given, n_rows, weighted);
        auto const margins = MakeMargins(static_cast<std::size_t>(n_rows * given.n_outputs));
        std::vector<GradientPair> expected(margins.size());
        objective->ComputeGradients(Context{}, margins, info, 0, expected);
        EXPECT_TRUE(SameFloats(Flat(GradientsOnDevice(*objective, margins, info)), Flat(expected)));
      }
    }
  }
}

TEST_F(DeviceObjectiveTest, GradientsOfTablesWithMissingLabelsHaveTheHostsBits) {
  for (auto given : Cases()) {
    if (std::strstr(given.name, "tileerror") != nullptr || given.name[0] == 'm' || given.name[0] == 's') continue;
    given.n_outputs = 3;
    for (std::int64_t const n_rows : {1, 31, 257, 100003}) {
      SCOPED_TRACE(std::string(given.name) + " " + std::to_string(n_rows));
      auto const objective = MakeObjective(given);
      auto info = MakeInfo(given, n_rows, n_rows != 31);
      for (std::size_t i = 1; i < info.labels.size(); i += 1 + i % 3) {
        info.labels[i] = std::numeric_limits<float>::quiet_NaN();
      }
      auto margins = MakeMargins(info.labels.size());
      for (std::size_t i = 1; i < margins.size(); i += 11) {
        if (std::isnan(info.labels[i])) margins[i] = std::numeric_limits<float>::quiet_NaN();
      }
      std::vector<GradientPair> expected(margins.size());
      objective->ComputeGradients(Context{}, margins, info, 0, expected);
      auto const found = GradientsOnDevice(*objective, margins, info);
      EXPECT_TRUE(SameFloats(Flat(found), Flat(expected)));
      for (std::size_t i = 0; i < found.size(); ++i) {
        auto const is_missing_label = std::isnan(info.labels[i]);
        EXPECT_TRUE(!is_missing_label || (found[i].gradient == 0.0F && found[i].hessian == 0.0F)) << i;
      }
    }
  }
}

/// Rows in every block of sums: times of one row, of some rows and of all; also censored times, with 0 and -0.
TEST_F(DeviceObjectiveTest, CoxOfAnyTimesHasTheHostsBits) {
  ObjectiveCase const given{"survival:cox", {}, 1, 0.0F};
  auto const objective = MakeObjective(given);
  for (std::int64_t const n_rows : {2, 4095, 4096, 4097, 8193, 300007}) {
    for (float const step : {1e-7F, 0.001F, 0.1F, 2.0F}) {
      SCOPED_TRACE(std::to_string(n_rows) + " " + std::to_string(step));
      auto info = MakeInfo(given, n_rows, step != 0.1F);
      for (std::size_t row = 0; row < info.labels.size(); ++row) {
        auto const time = row % 11 == 5 ? 0.0F : (std::floor(info.labels[row] / step) + 1.0F) * step;
        info.labels[row] = row % 3 == 1 ? -time : time;
      }
      auto margins = MakeMargins(info.labels.size());
      if (step == 0.1F) std::fill(margins.begin(), margins.end(), -0.25F);
      std::vector<GradientPair> expected(margins.size());
      objective->ComputeGradients(Context{}, margins, info, 0, expected);
      EXPECT_TRUE(SameFloats(Flat(GradientsOnDevice(*objective, margins, info)), Flat(expected)));
    }
  }
}

TEST_F(DeviceObjectiveTest, PredictionsHaveTheHostsBits) {
  for (auto const& given : Cases()) {
    SCOPED_TRACE(given.name);
    auto const objective = MakeObjective(given);
    auto expected = MakeMargins(static_cast<std::size_t>(5000 * given.n_outputs));
    auto const values = cuda::ToDevice(Cuda(), expected);
    cuda::MakeDeviceObjective(*objective)->TransformMargins(Cuda(), values.span(), given.n_outputs);
    objective->TransformMargins(Context{}, expected, given.n_outputs);
    EXPECT_TRUE(SameFloats(Fetch(Cuda(), values), expected));
  }
}

TEST_F(DeviceObjectiveTest, SizesMustAgree) {
  auto const given = Cases().front();
  auto const info = MakeInfo(given, 10, false);
  auto const objective = MakeObjective(given);
  auto const message =
      MessageOf(ErrorKind::kInternal, [&] { GradientsOnDevice(*objective, std::vector<float>(9), info); });
  EXPECT_NE(message.find("expected 10 margins and as many gradient pairs, got 9 margins"), std::string::npos)
      << message;
}

/// Needs no device.
TEST(DeviceObjectiveTable, KnowsNamesOnly) {
  for (auto const& given : Cases()) {
    auto const objective = MakeObjective(given);
    EXPECT_EQ(objective->Name(), given.name);
    EXPECT_NE(cuda::MakeDeviceObjective(*objective), nullptr) << given.name;
  }
}

}  // namespace
}  // namespace kauri::testing
