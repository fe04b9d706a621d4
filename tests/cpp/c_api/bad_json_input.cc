/// Bad input: JSON nested so deeply that recursion would overflow the stack, and arrays of rows without columns, which
/// claim a length but have no memory.
#include <string>
#include <vector>

#include "c_api/bad_input.h"

namespace kauri::testing {
namespace {

constexpr char const* kRowsOnly = "[4611686018427387904, 0]";

std::string Nested() {
  constexpr std::size_t kLevels = 500000;
  return std::string(kLevels, '[') + std::string(kLevels, ']');
}

std::string Array(char const* typestr, std::string const& shape) {
  return Interface(std::vector<float>{}, typestr, shape);
}

template <typename Create>
Act Creates(Create create) {
  return [=](World&) {
    DMatrixHandle handle = nullptr;
    return create(&handle);
  };
}

Act Dense(std::string const& array, std::string const& config = kNaNMissing) {
  return Creates([=](auto* out) { return XGDMatrixCreateFromDense(array.c_str(), config.c_str(), out); });
}

Act Columns(std::string const& columns) {
  return Creates([=](auto* out) { return XGDMatrixCreateFromColumnar(columns.c_str(), kNaNMissing, out); });
}

Act PredictColumns(std::string const& columns) {
  return [=](World& world) {
    bst_ulong const* shape = nullptr;
    bst_ulong dim = 0;
    float const* values = nullptr;
    return XGBoosterPredictFromColumnar(world.booster.get(), columns.c_str(), PredictConfig(0).c_str(), nullptr, &shape,
                                        &dim, &values);
  };
}

Act DumpDot(std::string const& options) {
  return [=](World& world) {
    bst_ulong length = 0;
    char const** trees = nullptr;
    return XGBoosterDumpModelEx(world.booster.get(), "", 0, ("dot:" + options).c_str(), &length, &trees);
  };
}

/// Returns a categorical column without rows whose category names are `names`.
std::string Categorical(std::string const& names) { return "[[" + names + ", " + Array("<i4", "[0]") + "]]"; }

std::vector<std::string> const kTooDeep{"nested deeper than 64 levels"};

}  // namespace

std::vector<BadInput> BadJson() {
  auto const deep = Nested();
  static std::vector<float> const kOne{1};
  auto const one = Table(kOne, 1);
  return {
      {"deep global configuration",
       [=](World&) { return XGBSetGlobalConfig((R"({"nthread": )" + deep + "}").c_str()); }, kTooDeep,
       KAURI_ERROR_PARAMETER},
      {"deep configuration", Dense(one, R"({"missing": )" + deep + "}"), kTooDeep, KAURI_ERROR_PARAMETER},
      {"deep array", Dense(deep), kTooDeep, KAURI_ERROR_DATA},
      {"deep shape", Dense(Array("<f4", deep)), kTooDeep, KAURI_ERROR_DATA},
      {"deep columns", Columns(deep), kTooDeep, KAURI_ERROR_DATA},
      {"deep columns to predict", PredictColumns(deep), kTooDeep, KAURI_ERROR_DATA},
      {"deep options of dot", DumpDot(deep), kTooDeep, KAURI_ERROR_PARAMETER},
      {"deep parameters of a booster",
       [=](World& world) {
         return XGBoosterLoadJsonConfig(world.booster.get(), (R"({"learner": {"x": )" + deep + "}}").c_str());
       },
       kTooDeep, KAURI_ERROR_PARAMETER},
      {"names of categories without memory",
       Columns(Categorical(Array("<i4", "[10, 0]"))),
       {"column 0", "[10, 0]"},
       KAURI_ERROR_DATA},
      {"offsets of names without memory",
       Columns(
           Categorical(R"({"offsets": )" + Array("<i4", "[10, 0]") + R"(, "values": )" + Array("|u1", "[0]") + "}")),
       {"column 0", "[10, 0]"},
       KAURI_ERROR_DATA},
      {"letters of names without memory",
       Columns(
           Categorical(R"({"offsets": )" + Array("<i4", "[0]") + R"(, "values": )" + Array("|u1", "[10, 0]") + "}")),
       {"column 0", "[10, 0]"},
       KAURI_ERROR_DATA},
      {"rows without columns", Dense(Array("<f4", kRowsOnly)), {"4611686018427387904 rows"}, KAURI_ERROR_DATA},
  };
}

/// Values that are not text or not UTF-8 do no harm.
TEST(OddParameters, AreIgnored) {
  Problem const problem;
  auto const booster = MakeBooster(problem.data, {{"my_own", "\xFF\xFE"}, {"\xFF", "1"}});
  bst_ulong length = 0;
  char const* text = nullptr;
  ASSERT_OK(XGBoosterSaveJsonConfig(booster.get(), &length, &text));
  std::string const saved(text, length);
  EXPECT_EQ(saved.find("my_own"), std::string::npos);
  EXPECT_OK(XGBoosterLoadJsonConfig(booster.get(), saved.c_str()));
  EXPECT_OK(XGBoosterLoadJsonConfig(booster.get(), R"({"learner": {"objective": {"name": {"eta": "0.5"}}}})"));
  EXPECT_EQ(XGBoosterLoadJsonConfig(booster.get(), R"({"learner": {"objective": ["name"], "user_metrics": 3}})"), -1);
}

/// An empty array of any shape clears a field.
TEST(EmptyArrays, ClearFieldsAtOnce) {
  Problem const problem;
  auto const empty = Array("<f4", kRowsOnly);
  for (char const* field :
       {"label", "base_margin", "weight", "label_lower_bound", "label_upper_bound", "feature_weights"}) {
    ASSERT_OK(XGDMatrixSetInfoFromInterface(problem.data.get(), field, empty.c_str())) << field;
    bst_ulong length = 1;
    float const* values = nullptr;
    ASSERT_OK(XGDMatrixGetFloatInfo(problem.data.get(), field, &length, &values));
    EXPECT_EQ(length, 0U) << field;
  }
}

}  // namespace kauri::testing
