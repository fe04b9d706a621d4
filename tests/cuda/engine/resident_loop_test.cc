/// The boosting loop is resident (design D6): once a session has begun, the bytes copied in a round depend on the
/// trees, not on the rows. The same rows repeated 100 times grow the same trees, so the bytes of a round must stay.
#include <cmath>
#include <cstdio>
#include <iostream>
#include <map>

#include "booster/learner.h"
#include "common/text/log.h"
#include "cuda/metric/device_metric.h"
#include "cuda/objective/device_objective.h"
#include "support/device_fixture.h"

namespace kauri::testing {
namespace {

constexpr std::int64_t kRows = 1000;
constexpr std::int64_t kTimes = 100;
constexpr std::int64_t kCols = 6;
constexpr std::int64_t kGroup = 20;
constexpr int kRounds = 10;
/// First steady round; in earlier rounds data sets are copied to the device.
constexpr int kFirstSteady = 3;

std::vector<std::string>& Lines() {
  static std::vector<std::string> lines;
  return lines;
}

struct Bytes {
  unsigned long long to_device = 0;
  unsigned long long to_host = 0;
};

/// Returns the most bytes that a steady round copies, from the lines of the log.
Bytes LargestRound(std::int64_t n_rows) {
  Bytes largest;
  int n_lines = 0;
  for (auto const& line : Lines()) {
    long long round = 0;
    long long rows = 0;
    unsigned long long copies[2];
    Bytes bytes;
    auto const* format =
        "copies of round %lld (%lld rows): host to device %llu bytes in %llu copies, device to host %llu bytes in "
        "%llu copies";
    if (std::sscanf(line.c_str(), format, &round, &rows, &bytes.to_device, &copies[0], &bytes.to_host, &copies[1]) != 6)
      continue;
    EXPECT_EQ(round, n_lines++);
    EXPECT_EQ(rows, n_rows);
    if (round < kFirstSteady) continue;
    largest.to_device = std::max(largest.to_device, bytes.to_device);
    largest.to_host = std::max(largest.to_host, bytes.to_host);
  }
  EXPECT_EQ(n_lines, kRounds);
  return largest;
}

struct Case {
  ParamMap params;
  std::vector<std::string> metrics;
  bool sparse = false;
  bool base_margin = false;
  bool categories = false;  ///< in the last two columns

  std::string Objective() const { return params.at("objective"); }
  bool IsMulti() const { return params.count("num_class") > 0; }
};

/// Returns 1000 rows, repeated `times` times: labels 0, 1 (and 2 for classes), in groups of 20 rows if the objective
/// ranks.
std::shared_ptr<DataMatrix> MakeData(Case const& given, std::int64_t times, std::uint64_t seed) {
  auto base = MakeValues({kRows, kCols, 0.1, 0, false, seed});
  for (std::size_t i = 0; given.categories && i < base.size(); ++i) {
    auto const column = static_cast<std::int64_t>(i) % kCols;
    if (column >= kCols - 2) base[i] = std::floor(std::fabs(base[i]) * (column == kCols - 1 ? 30.0F : 1.0F));
  }
  std::vector<float> values;
  for (std::int64_t time = 0; time < times; ++time) values.insert(values.end(), base.begin(), base.end());
  std::shared_ptr<DataMatrix> data = MakeMatrix(values, kCols, given.sparse);
  auto* const info = data->MutableInfo();
  auto const n_rows = kRows * times;
  for (std::int64_t row = 0; row < n_rows; ++row) {
    auto const* of_row = values.data() + row * kCols;
    auto const score = (std::isnan(of_row[0]) ? 0.3F : of_row[0]) + (of_row[1] > 0.4F ? 1.0F : 0.0F);
    info->labels.push_back(score < 0.0F ? 0.0F : (score < 1.0F || !given.IsMulti() ? 1.0F : 2.0F));
  }
  if (given.Objective().rfind("rank:", 0) == 0) {
    for (std::int64_t row = 0; row <= n_rows; row += kGroup) info->group_ptr.push_back(row);
  }
  if (given.Objective() == "reg:gamma") {
    for (auto& label : info->labels) label += 0.5F;  // above 0
  }
  for (auto const label : info->labels) {
    info->label_lower_bound.push_back(label + 0.5F);
    info->label_upper_bound.push_back(label + 1.5F);
  }
  if (given.categories) info->feature_types = {"float", "float", "float", "float", "c", "c"};
  if (given.base_margin) info->base_margin.assign(n_rows, 0.25F);
  return data;
}

/// Trains ten rounds with evaluation of the training set and of another data set.
Bytes Train(Case const& given, std::int64_t times) {
  Lines().clear();
  Learner learner;
  for (auto const& [name, value] : given.params) learner.SetParam(name, value);
  for (auto const& metric : given.metrics) learner.SetParam("eval_metric", metric);
  learner.SetParam("device", "cuda");
  learner.SetParam("tree_method", "exact");
  learner.SetParam("max_depth", "4");
  learner.SetParam("lambda", "0");
  learner.SetParam("min_child_weight", "0");
  auto const train = MakeData(given, times, 71);
  auto const valid = MakeData(given, times, 72);
  for (int round = 0; round < kRounds; ++round) {
    learner.BoostRound(train, round);
    learner.Evaluate({{"train", train}, {"valid", valid}});
  }
  return LargestRound(kRows * times);
}

/// Returns registered metrics that fit the objective and have a device version.
std::vector<std::string> MetricsOf(std::string const& objective, ParamMap const& params) {
  std::vector<std::string> wanted{"rmse", "mae"};
  if (params.count("num_class") > 0) wanted = {"merror", "mlogloss"};
  if (objective.rfind("rank:", 0) == 0) wanted = {"ndcg", "map", "pre", "rmse"};
  if (objective.find("logi") != std::string::npos) wanted = {"logloss", "error", "error@0.3", "auc", "aucpr", "rmse"};
  if (objective == "count:poisson") wanted = {"poisson-nloglik", "rmse", "mae"};
  if (objective == "reg:expectileerror") wanted = {"expectile"};
  if (objective == "survival:aft") wanted = {"aft-nloglik", "interval-regression-accuracy"};
  std::vector<std::string> found;
  for (auto const& name : wanted) {
    auto const at = name.find('@');
    auto const argument = at == std::string::npos ? std::string() : name.substr(at + 1);
    auto const metric = GetRegistries().metrics.Find(name.substr(0, at)).make(argument, params);
    if (cuda::MakeDeviceMetric(*metric) != nullptr) found.push_back(name);
  }
  return found;
}

/// Returns a case for every registered objective that has a device version and no leaves set by the host.
std::vector<Case> Objectives() {
  std::vector<Case> cases;
  for (auto const& name : GetRegistries().objectives.Names()) {
    Case given;
    given.params = {{"objective", name}};
    if (name == "reg:quantileerror") given.params["quantile_alpha"] = "0.5";
    if (name == "reg:expectileerror") given.params["expectile_alpha"] = "0.5";
    if (name.rfind("multi:", 0) == 0) given.params["num_class"] = "3";
    auto const objective = GetRegistries().objectives.Find(name).make(given.params);
    if (cuda::MakeDeviceObjective(*objective) == nullptr) continue;
    given.metrics = MetricsOf(name, given.params);
    cases.push_back(given);
  }
  return cases;
}

/// Returns other ways to train, each with one objective.
std::vector<Case> Variants() {
  auto const logistic = [](ParamMap more) {
    Case given;
    more["objective"] = "binary:logistic";
    given.params = std::move(more);
    given.metrics = {"logloss"};
    return given;
  };
  std::vector<Case> cases{
      logistic({{"subsample", "0.7"}}),
      logistic({{"colsample_bytree", "0.7"}, {"colsample_bylevel", "0.7"}, {"colsample_bynode", "0.7"}}),
      logistic({{"num_parallel_tree", "2"}}),
      logistic({}),
      logistic({}),
      logistic({{"subsample", "0.7"}}),
      {{{"objective", "reg:absoluteerror"}, {"split_criterion", "absolute_error"}}, {"mae"}},
  };
  cases[3].sparse = true;
  cases[4].base_margin = true;
  cases[5].categories = true;
  return cases;
}

class ResidentLoopTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    SetLogCallback([](char const* line) { Lines().emplace_back(line); });
    SetLogLevel(static_cast<int>(LogLevel::kDebug));
  }
  void TearDown() override {
    SetLogLevel(static_cast<int>(LogLevel::kWarning));
    SetLogCallback(nullptr);
  }

  static void ExpectNoHostCopies() {
    for (auto const& line : Lines()) {
      EXPECT_EQ(line.find("no device version"), std::string::npos) << line;
      EXPECT_EQ(line.find("copied every round"), std::string::npos) << line;
    }
  }

  /// A tree of depth 4 has up to 31 nodes; per node and feature a few hundred bytes are copied each way.
  static void ExpectResident(Case const& given) {
    std::string text;
    for (auto const& [name, value] : given.params) text += name + "=" + value + " ";
    SCOPED_TRACE(text + (given.sparse ? "sparse " : "") + (given.base_margin ? "base_margin" : "") +
                 (given.categories ? "categories" : ""));
    auto const few = Train(given, 1);
    ExpectNoHostCopies();
    auto const many = Train(given, kTimes);
    ExpectNoHostCopies();
    std::cout << "  " << text << ": bytes a round at " << kRows << " rows up " << few.to_device << " down "
              << few.to_host << ", at " << kRows * kTimes << " rows up " << many.to_device << " down " << many.to_host
              << '\n';
    // Sampling other rows makes other trees.
    EXPECT_LE(many.to_device, few.to_device + few.to_device / 4 + 2048);
    EXPECT_LE(many.to_host, few.to_host + few.to_host / 4 + 2048);
    auto const trees = given.IsMulti() ? 3U : given.params.count("num_parallel_tree") > 0 ? 2U : 1U;
    EXPECT_LE(many.to_device, trees * 31U * 1024U);
    EXPECT_LE(many.to_host, trees * 31U * 256U);
    EXPECT_GT(few.to_device, 0U);
    EXPECT_GT(few.to_host, 0U);
  }
};

TEST_F(ResidentLoopTest, EveryObjectiveWithADeviceVersion) {
  for (auto const& given : Objectives()) ExpectResident(given);
}

TEST_F(ResidentLoopTest, SamplingSparseDataBaseMarginsAndCategories) {
  for (auto const& given : Variants()) ExpectResident(given);
}

/// Shows that the test can fail: gradients from outside are row-sized, and the log shows it.
TEST_F(ResidentLoopTest, GradientsFromOutsideCrossTheBus) {
  Lines().clear();
  Case given;
  given.params = {{"objective", "reg:squarederror"}};
  auto const train = MakeData(given, 1, 73);
  Learner learner;
  learner.SetParam("device", "cuda");
  learner.SetParam("tree_method", "exact");
  std::vector<GradientPair> const pairs(kRows, {0.5F, 1.0F});
  for (int round = 0; round < kRounds; ++round) learner.BoostRound(train, round, pairs);
  EXPECT_GE(LargestRound(kRows).to_device, kRows * sizeof(GradientPair));
}

/// Checks the cases of the tests above. Needs no device.
TEST(ResidentLoop, CoversObjectivesAndMetrics) {
  auto const cases = Objectives();
  EXPECT_GE(cases.size(), 7U);
  for (auto const& given : cases) EXPECT_FALSE(given.metrics.empty()) << given.Objective();
}

}  // namespace
}  // namespace kauri::testing
