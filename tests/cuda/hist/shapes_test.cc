/// Every number of bins with every number of columns; the other choices are random for each pair.
#include "hist/hist_fixture.h"

namespace kauri::testing {
namespace {

std::vector<std::int64_t> const kColumns{1, 4, 5, 7, 8, 9, 16, 17, 31, 32, 33, 64, 65, 300};

template <typename T>
T OneOf(Random* random, std::vector<T> const& choices) {
  return choices[random->Below(static_cast<std::uint32_t>(choices.size()))];
}

/// Returns a random table with enough rows for the bins, if there are few columns.
Table DrawTable(Random* random, std::int64_t n_cols, int max_bin) {
  Table table;
  table.n_cols = n_cols;
  auto const many = n_cols > 33 ? 300 : max_bin > 257 ? 2500 : 900;
  table.n_rows = OneOf<std::int64_t>(random, {31, 33, 257, many, many, many, many});
  table.missing = OneOf<Missing>(random, {Missing::kNone, Missing::kSome, Missing::kColumn, Missing::kMixed});
  table.values = OneOf<Values>(random, {Values::kNormal, Values::kNormal, Values::kNormal, Values::kFew});
  table.sparse = random->Below(4) == 0;
  table.weights = random->Below(3) == 0;
  table.seed = random->Below(1000000);
  return table;
}

HistCase Draw(int max_bin, std::int64_t n_cols) {
  Random random(static_cast<std::uint64_t>(max_bin) * 1000 + static_cast<std::uint64_t>(n_cols));
  HistCase given;
  given.name = "drawn";
  given.table = DrawTable(&random, n_cols, max_bin);
  given.gradients = OneOf<Gradients>(
      &random, {Gradients::kObjective, Gradients::kObjective, Gradients::kNormal, Gradients::kHalfNegative,
                Gradients::kConstant, Gradients::kCoarse, Gradients::kFewRows});
  given.params = {{"max_bin", std::to_string(max_bin)},
                  {"max_depth", OneOf<char const*>(&random, {"1", "3", "6", "12"})},
                  {"min_child_weight", OneOf<char const*>(&random, {"0", "1", "5"})},
                  {"objective", OneOf<char const*>(&random, {"reg:squarederror", "binary:logistic"})}};
  if (random.Below(2) == 0) {
    given.params.push_back({"grow_policy", "lossguide"});
    given.params.push_back({"max_leaves", OneOf<char const*>(&random, {"0", "2", "11", "63"})});
  }
  return given;
}

class HistShapes : public HistDeviceTest {
 protected:
  static void OfEveryWidth(int max_bin) {
    for (auto const n_cols : kColumns) EXPECT_EQ(ExpectSame(Draw(max_bin, n_cols)).error, "");
  }
};

TEST_F(HistShapes, Bins2) { OfEveryWidth(2); }
TEST_F(HistShapes, Bins16) { OfEveryWidth(16); }
TEST_F(HistShapes, Bins255) { OfEveryWidth(255); }
TEST_F(HistShapes, Bins256) { OfEveryWidth(256); }
TEST_F(HistShapes, Bins257) { OfEveryWidth(257); }
TEST_F(HistShapes, Bins1024) { OfEveryWidth(1024); }
TEST_F(HistShapes, Bins65535) { OfEveryWidth(65535); }

HistCase Wide(char const* name, std::int64_t n_cols, char const* max_bin, Params const& more = {}) {
  HistCase given;
  given.name = name;
  given.table.n_cols = n_cols;
  given.table.n_rows = n_cols > 33 ? 400 : 1200;
  given.params = With({{"max_bin", max_bin}}, more);
  return given;
}

/// By levels and by gain, complete and with gaps: the basic cases of every step.
TEST_F(HistShapes, PlainTables) {
  std::vector<HistCase> cases;
  for (auto const n_cols : kColumns) {
    cases.push_back(Wide("by levels", n_cols, "256"));
    cases.push_back(Wide("by gain", n_cols, "256", {{"grow_policy", "lossguide"}, {"max_leaves", "20"}}));
    cases.push_back(Wide("gaps", n_cols, "256"));
    cases.back().table.missing = n_cols == 1 ? Missing::kSome : Missing::kMixed;
  }
  ExpectSameTrees(cases);
}

/// A complete column in 256 bins takes bytes; a column with missing values has one more code.
TEST_F(HistShapes, CodesAtTheEdgeOfAByte) {
  std::vector<HistCase> cases;
  for (auto const* max_bin : {"254", "255", "256", "257"}) {
    for (auto const missing : {Missing::kNone, Missing::kSome, Missing::kMixed}) {
      auto given = Wide("edge", 5, max_bin);
      given.table.missing = missing;
      cases.push_back(given);
    }
  }
  ExpectSameTrees(cases);
}

/// The number of bins equals the number of rows.
TEST_F(HistShapes, ManyBins) {
  std::vector<HistCase> cases;
  for (auto const* max_bin : {"1024", "4096", "65535"}) {
    auto given = Wide("many bins", 3, max_bin, {{"max_depth", "4"}});
    given.table.n_rows = 70000;
    cases.push_back(given);
    given.table.missing = Missing::kMixed;
    given.params.push_back({"grow_policy", "lossguide"});
    cases.push_back(given);
  }
  ExpectSameTrees(cases);
}

TEST_F(HistShapes, NumbersOfRows) {
  for (std::int64_t const n_rows : {1, 2, 3, 31, 32, 33, 63, 65, 127, 129, 255, 257, 511, 513, 1023, 1025, 4097}) {
    for (auto const missing : {Missing::kNone, Missing::kSome}) {
      for (std::int64_t const n_cols : {3, 33}) {
        auto given = Wide("rows", n_cols, "64", {{"min_child_weight", "0"}});
        given.table.n_rows = n_rows;
        given.table.missing = missing;
        EXPECT_EQ(ExpectSame(given).error, "");
      }
    }
  }
}

/// Extreme numbers, both zeros, neighbouring floats.
TEST_F(HistShapes, ExtremeValues) {
  constexpr auto kNan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> const some{3.4028235e38F, -3.4028235e38F, 1e-45F, -1e-45F, 0.0F, -0.0F,
                                1.0F,          1.0000001F,     kNan,   -1.0F,   2.0F};
  for (auto const* max_bin : {"2", "4", "256"}) {
    std::vector<std::shared_ptr<DataMatrix>> sides;
    for (int side = 0; side < 2; ++side) {
      std::vector<float> values;
      for (std::size_t cell = 0; cell < 2 * 330; ++cell) values.push_back(some[cell * 7 / 2 % some.size()]);
      sides.push_back(MakeMatrix(values, 2, false));
      Random random(5);
      for (int row = 0; row < 330; ++row) sides.back()->MutableInfo()->labels.push_back(random.Normal());
    }
    HistCase given;
    given.params = {{"max_bin", max_bin}};
    auto const cpu = TrainOn("cpu", given, sides[0]);
    EXPECT_EQ(cpu.error, "");
    EXPECT_TRUE(SameOutcome(cpu, TrainOn(kDevice, given, sides[1]))) << max_bin;
  }
}

}  // namespace
}  // namespace kauri::testing
