/// Failures and retries as a table: any failure, in any state of a booster, leaves the booster unchanged. Model,
/// configuration, attributes and predictions are the same as before, and further rounds give the bytes of a booster
/// that never failed.
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "c_api/failure_case.h"

namespace kauri::testing {

void PrintTo(SceneMaker const& scene, std::ostream* out) { *out << scene.name; }

namespace {

constexpr int kRetries = 2;

/// Returns the model after more rounds.
std::string Continued(Scene const& scene) {
  for (int round = 0; round < kRetries; ++round) EXPECT_OK(scene.Continue());
  return ModelText(scene.booster);
}

class FailureTable : public ::testing::TestWithParam<SceneMaker> {
 protected:
  void Run(std::vector<FailureCase> const& cases) const {
    auto const& maker = GetParam();
    auto const expected = Continued(maker.never_failed());
    for (auto const& failure : cases) {
      auto const scene = maker.make();
      if (failure.needs == Needs::kTraining && !scene.is_trained) continue;
      SCOPED_TRACE(failure.name);
      auto const before = Look(scene);
      ASSERT_NE(failure.fail(scene), 0) << "nothing failed";
      ASSERT_STRNE(XGBGetLastError(), "");
      auto const after = Look(scene);
      EXPECT_EQ(after.model, before.model);
      EXPECT_EQ(after.config, before.config);
      EXPECT_TRUE(after == before) << after.problem;
      EXPECT_EQ(Continued(scene), expected);
    }
  }
};

TEST_P(FailureTable, Data) { Run(FailuresOfData()); }
TEST_P(FailureTable, Gradients) { Run(FailuresOfGradients()); }
TEST_P(FailureTable, Parameters) { Run(FailuresOfParameters()); }
TEST_P(FailureTable, Files) { Run(FailuresOfFiles()); }
TEST_P(FailureTable, Use) { Run(FailuresOfUse()); }

/// Makes all failures one after another on one booster.
TEST_P(FailureTable, AllInARow) {
  auto const scene = GetParam().make();
  for (auto const& cases :
       {FailuresOfData(), FailuresOfGradients(), FailuresOfParameters(), FailuresOfFiles(), FailuresOfUse()}) {
    for (auto const& failure : cases) {
      if (failure.needs == Needs::kTraining && !scene.is_trained) continue;
      EXPECT_NE(failure.fail(scene), 0) << failure.name;
    }
  }
  EXPECT_EQ(Continued(scene), Continued(GetParam().never_failed()));
}

INSTANTIATE_TEST_SUITE_P(States, FailureTable, ::testing::ValuesIn(AllScenes()),
                         [](auto const& scene) { return std::string(scene.param.name); });

}  // namespace
}  // namespace kauri::testing
