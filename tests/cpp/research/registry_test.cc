/// Tests what the registry asks of entries that the core does not know, by entries of this file's own.
#include "kauri/registry.h"

#include <gtest/gtest.h>

#include "booster/booster_fixture.h"
#include "booster/boosters/gbtree.h"
#include "tree/absolute_error/error_criterion.h"
#include "tree/absolute_error/label_bins.h"

namespace kauri::testing {
namespace {

constexpr char kShallow[] = "shallow";
constexpr char kSeedOfSketch[] = "4711";

/// Asks for a feature that only tree_method=hist has.
class AskingSketch : public ErrorSketch {
 public:
  FeatureSet Asks() const override { return {Feature::kMomentSketch}; }
  MakeCriterion Criterion() const override { return ErrorCriterion<LabelBinSearch>::Make; }
};

/// Adds a booster with defaults and a sketch of errors, once.
void AddEntries() {
  auto& registries = GetRegistries();
  if (registries.boosters.TryFind(kShallow) != nullptr) return;
  Registry<BoosterFactory>::Entry entry{kShallow, "Trees of depth 1.", MakeGbTree};
  entry.supports = registries.boosters.Find("gbtree").supports;
  entry.defaults = {{"max_depth", "1"}, {"eta", "0.25"}};
  registries.boosters.Add(std::move(entry));
  registries.error_sketches.Add(
      {"asking", "Label bins again.", [](ParamMap const& map) -> std::shared_ptr<ErrorSketch const> {
         auto const seed = map.find("seed");
         if (seed == map.end() || seed->second != kSeedOfSketch) return nullptr;
         return std::make_shared<AskingSketch const>();
       }});
}

class RegistryEntries : public ::testing::Test {
 protected:
  void SetUp() override { AddEntries(); }

  std::shared_ptr<DataMatrix> data_ = MakeLabelled({200, 4, 0.0, 0, false, 5}, 0);
};

Params Boosting(Params const& more) { return With({{"booster", kShallow}, {"nthread", "1"}}, more); }

TEST_F(RegistryEntries, DefaultsOfABoosterApplyWhereTheUserSetsNone) {
  auto const bytes = [&](Params const& params) { return Bytes(Train(data_, Boosting(params), 3).get()); };
  auto const learner = Train(data_, Boosting({}), 3);
  for (auto const& tree : learner->GetModel().trees) EXPECT_EQ(tree.NumNodes(), 3);
  EXPECT_EQ(Bytes(learner.get()), bytes({{"max_depth", "1"}, {"eta", "0.25"}}));
  EXPECT_NE(Bytes(learner.get()), bytes({{"max_depth", "1"}, {"eta", "0.3"}}));
  auto const deep = Train(data_, Boosting({{"max_depth", "3"}}), 1);
  EXPECT_GT(deep->GetModel().trees[0].NumNodes(), 3);
}

TEST_F(RegistryEntries, DefaultsOfABoosterAreItsOwn) {
  auto const learner = Train(data_, {{"nthread", "1"}}, 1);
  EXPECT_GT(learner->GetModel().trees[0].NumNodes(), 3);
}

Params ByAbsoluteErrors(std::string const& method, std::string const& seed) {
  return {{"objective", "reg:absoluteerror"},
          {"split_criterion", "absolute_error"},
          {"tree_method", method},
          {"seed", seed},
          {"nthread", "1"}};
}

/// The tree method `exact` supports splits by absolute errors, but not the feature that the sketch asks for.
TEST_F(RegistryEntries, ASketchAsksTheTreeMethodForItsFeatures) {
  Train(data_, ByAbsoluteErrors("exact", "1"), 1);
  auto const message =
      MessageOf(ErrorKind::kParameter, [&] { Train(data_, ByAbsoluteErrors("exact", kSeedOfSketch), 1); });
  EXPECT_NE(message.find("tree_method=exact has no bins"), std::string::npos) << message;
}

TEST_F(RegistryEntries, ASketchSearchesWithItsCriterion) {
  auto const plain = Train(data_, ByAbsoluteErrors("hist", "1"), 3);
  auto const asking = Train(data_, ByAbsoluteErrors("hist", kSeedOfSketch), 3);
  EXPECT_EQ(Bytes(asking.get()), Bytes(plain.get()));
}

TEST_F(RegistryEntries, ASketchMayDeclareNoParameters) {
  auto const table = ErrorSketchParameters();
  ASSERT_EQ(table.size(), 1U);
  EXPECT_EQ(table[0].name, "absolute_error_sketch");
}

}  // namespace
}  // namespace kauri::testing
