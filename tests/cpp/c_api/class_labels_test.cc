/// Files whose labels are names of classes, read for a booster.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "c_api/support.h"
#include "common/platform/process.h"

namespace kauri::testing {
namespace {

/// A CSV file of a feature and a label.
class File {
 public:
  explicit File(std::vector<std::pair<int, std::string>> const& rows)
      : path_((std::filesystem::path(::testing::TempDir()) /
               ("kauri_class_labels_" + std::to_string(platform::ProcessId()) + ".csv"))
                  .generic_string()) {
    std::ofstream file(path_);
    file << "x,y\n";
    for (auto const& [x, label] : rows) file << x << ',' << label << '\n';
  }
  ~File() { std::remove(path_.c_str()); }
  std::string Config() const { return R"({"uri": ")" + path_ + R"(?format=csv&label_column=y"})"; }

 private:
  std::string path_;
};

std::vector<std::pair<int, std::string>> Rows(std::string const& low, std::string const& high) {
  std::vector<std::pair<int, std::string>> rows;
  for (int x = 0; x < 40; ++x) rows.emplace_back(x, x < 20 ? low : high);
  return rows;
}

std::vector<float> LabelsOf(Data const& data) {
  bst_ulong length = 0;
  float const* values = nullptr;
  EXPECT_OK(XGDMatrixGetFloatInfo(data.get(), "label", &length, &values));
  return {values, values + length};
}

std::string ClassesOf(Booster const& booster) {
  char const* text = nullptr;
  int is_there = 0;
  EXPECT_OK(XGBoosterGetAttr(booster.get(), "kauri_classes", &text, &is_there));
  return is_there == 0 ? std::string() : std::string(text);
}

Data Read(Booster const& booster, File const& file) {
  DMatrixHandle handle = nullptr;
  EXPECT_OK(KauriBoosterReadData(booster.get(), file.Config().c_str(), &handle));
  return Data(handle);
}

/// Returns the kind and the text of the error of a file that is refused. The booster keeps what it was.
std::string Refusal(Booster const& booster, File const& file) {
  auto const before = ClassesOf(booster);
  DMatrixHandle handle = nullptr;
  EXPECT_EQ(KauriBoosterReadData(booster.get(), file.Config().c_str(), &handle), -1);
  auto const text = std::to_string(KauriGetLastErrorKind()) + " " + XGBGetLastError();
  EXPECT_EQ(ClassesOf(booster), before);
  return text;
}

Params Classification() { return {{"objective", "binary:logistic"}, {"min_child_weight", "0"}}; }

TEST(ClassLabels, ABoosterKeepsAndMatchesThem) {
  auto const booster = MakeBooster(MakeData({0}, 1, {0}), Classification());
  auto const data = Read(booster, File(Rows("yes", "no")));
  EXPECT_EQ(ClassesOf(booster), R"({"dtype":"U","values":["no","yes"]})");
  EXPECT_EQ(LabelsOf(data).front(), 1.0F);
  EXPECT_EQ(LabelsOf(data).back(), 0.0F);
  ASSERT_OK(XGBoosterUpdateOneIter(booster.get(), 0, data.get()));
  EXPECT_EQ(LabelsOf(Read(booster, File({{1, "yes"}, {2, "yes"}}))), (std::vector<float>{1.0F, 1.0F}));
  auto const other = Refusal(booster, File({{1, "maybe"}}));
  EXPECT_EQ(other.find(std::to_string(KAURI_ERROR_DATA)), 0U) << other;
  EXPECT_NE(other.find("the label 'maybe' is none of the classes that are known: 'no', 'yes'"), std::string::npos);
}

TEST(ClassLabels, AModelOfNumbersTakesNone) {
  auto const booster = Train(MakeData(Features(40, 1), 1, std::vector<float>(40, 1.0F)), Classification(), 1);
  auto const text = Refusal(booster, File(Rows("yes", "no")));
  EXPECT_EQ(text.find(std::to_string(KAURI_ERROR_DATA)), 0U) << text;
  EXPECT_NE(text.find("the model was trained on numbers"), std::string::npos) << text;
  EXPECT_EQ(LabelsOf(Read(booster, File(Rows("0", "1")))).back(), 1.0F);
  EXPECT_EQ(ClassesOf(booster), "");
}

TEST(ClassLabels, ARegressionTakesNone) {
  auto const booster = MakeBooster(MakeData({0}, 1, {0}), {{"objective", "reg:squarederror"}});
  auto const text = Refusal(booster, File(Rows("yes", "no")));
  EXPECT_EQ(text.find(std::to_string(KAURI_ERROR_PARAMETER)), 0U) << text;
  EXPECT_NE(text.find("set objective=binary:logistic"), std::string::npos) << text;
}

TEST(ClassLabels, AMatrixAloneSaysWhoReadsThem) {
  File const file(Rows("yes", "no"));
  DMatrixHandle handle = nullptr;
  EXPECT_EQ(XGDMatrixCreateFromURI(file.Config().c_str(), &handle), -1);
  EXPECT_NE(std::string(XGBGetLastError()).find("KauriBoosterReadData"), std::string::npos) << XGBGetLastError();
}

TEST(FindClassesTest, ChecksItsArguments) {
  std::vector<float> const table{1.0F, 2.0F};
  auto const at = std::to_string(reinterpret_cast<std::uintptr_t>(table.data()));
  auto const json = [&](char const* shape) {
    return R"({"data": [)" + at + R"(, true], "typestr": "<f4", "shape": )" + shape + R"(, "version": 3})";
  };
  std::vector<float> codes(2);
  std::vector<double> classes(2);
  bst_ulong n = 0;
  EXPECT_EQ(KauriFindClasses(json("[2]").c_str(), 2, 1, codes.data(), classes.data(), &n), 0);
  EXPECT_EQ(n, 2U);
  EXPECT_NE(KauriFindClasses(json("[1, 2]").c_str(), 2, 1, codes.data(), classes.data(), &n), 0);
  EXPECT_NE(KauriFindClasses(json("[2]").c_str(), 0, 1, codes.data(), classes.data(), &n), 0);
  EXPECT_NE(KauriFindClasses(json("[2]").c_str(), 1025, 1, codes.data(), classes.data(), &n), 0);
  EXPECT_NE(KauriFindClasses(json("[2]").c_str(), 2, 1, nullptr, classes.data(), &n), 0);
  EXPECT_NE(KauriFindClasses(json("[2]").c_str(), 2, 1, codes.data(), nullptr, &n), 0);
  EXPECT_NE(KauriFindClasses(json("[2]").c_str(), 2, 1, codes.data(), classes.data(), nullptr), 0);
}

}  // namespace
}  // namespace kauri::testing
