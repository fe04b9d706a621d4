/// Categories that training did not see are judged by their column, whether or not a tree splits on it.
#include <cstdint>
#include <string>
#include <vector>

#include "c_api/support.h"

namespace kauri::testing {
namespace {

/// A table of a column of numbers, and a column of categories whose names are single letters.
struct Columns {
  std::vector<float> numbers;
  std::string letters;
  std::vector<std::int8_t> codes;

  Data Make() const {
    std::vector<std::int32_t> offsets;
    for (std::size_t place = 0; place <= letters.size(); ++place) offsets.push_back(static_cast<std::int32_t>(place));
    std::vector<char> const bytes(letters.begin(), letters.end());
    auto const names = R"({"offsets": )" + Interface(offsets, "<i4", "[" + std::to_string(offsets.size()) + "]") +
                       R"(, "values": )" + Interface(bytes, "|i1", "[" + std::to_string(bytes.size()) + "]") + "}";
    auto const n_rows = "[" + std::to_string(codes.size()) + "]";
    auto const text = "[" + Vector(numbers) + ", [" + names + ", " + Interface(codes, "|i1", n_rows) + "]]";
    DMatrixHandle handle = nullptr;
    EXPECT_OK(XGDMatrixCreateFromColumnar(text.c_str(), kNaNMissing, &handle));
    EXPECT_OK(XGDMatrixSetInfoFromInterface(handle, "label", Vector(numbers).c_str()));
    return Data(handle);
  }
};

int Predict(Booster const& booster, Data const& data, int type) {
  bst_ulong const* shape = nullptr;
  bst_ulong dim = 0;
  float const* values = nullptr;
  return XGBoosterPredictFromDMatrix(booster.get(), data.get(), PredictConfig(type).c_str(), &shape, &dim, &values);
}

Columns Training() {
  Columns table{{}, "uv", {}};
  for (int row = 0; row < 40; ++row) {
    table.numbers.push_back(static_cast<float>(row));
    table.codes.push_back(static_cast<std::int8_t>(row % 2));
  }
  return table;
}

TEST(NewCategories, AreRefusedWhereNoTreeSplitsOnTheColumn) {
  auto const booster = Train(Training().Make(), {{"max_depth", "2"}, {"interaction_constraints", "[[0]]"}}, 2);
  auto const rows = Columns{{1, 2, 3}, "uvz", {0, 2, 1}}.Make();
  for (int const type : {0, 1, 2, 3, 4, 5, 6}) {
    EXPECT_EQ(Predict(booster, rows, type), -1) << type;
    EXPECT_NE(std::string(XGBGetLastError()).find("row 1 of column 1 has the category 'z'"), std::string::npos)
        << XGBGetLastError();
  }
  DMatrixHandle handle = rows.get();
  char const* name = "test";
  char const* line = nullptr;
  EXPECT_EQ(XGBoosterEvalOneIter(booster.get(), 0, &handle, &name, 1, &line), -1);
  EXPECT_EQ(XGBoosterUpdateOneIter(booster.get(), 2, rows.get()), 0) << "training learns categories";
}

TEST(NewCategories, AreNotNamesWithoutRows) {
  auto const booster = Train(Training().Make(), {{"max_depth", "2"}, {"interaction_constraints", "[[0]]"}}, 2);
  auto const rows = Columns{{1, 2, 3}, "zvu", {1, 2, 1}}.Make();
  for (int const type : {0, 1, 2, 3, 4, 5, 6}) EXPECT_OK(Predict(booster, rows, type));
}

}  // namespace
}  // namespace kauri::testing
