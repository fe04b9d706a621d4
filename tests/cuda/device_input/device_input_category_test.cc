/// Categorical columns through the C ABI: models trained on the device equal the CPU's, wherever the rows are.
#include <cmath>

#include "c_api/support.h"
#include "cuda/common/buffer.h"
#include "support/device_fixture.h"

namespace kauri::testing {
namespace {

constexpr std::size_t kRows = 3000;
constexpr std::int64_t kCols = 4;

std::string ModelOf(Booster const& booster) {
  bst_ulong length = 0;
  char const* bytes = nullptr;
  EXPECT_OK(XGBoosterSaveModelToBuffer(booster.get(), R"({"format": "ubj"})", &length, &bytes));
  return {bytes, length};
}

class CategoricalInput : public DeviceTest {
 protected:
  /// Makes columns of 3 and of 200 categories, and two of numbers. The label depends on the first three.
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    Random random(41);
    for (std::size_t row = 0; row < kRows; ++row) {
      auto const few = static_cast<float>(random.Below(3));
      auto const many = std::floor(200.0F * static_cast<float>(random.Uniform() * random.Uniform()));
      auto const number = random.Normal();
      auto const score = (few == 1.0F ? 1.0F : 0.0F) + std::sin(many * many) + number + 0.5F * random.Normal();
      labels_.push_back(score < 0.0F ? 0.0F : score < 1.0F ? 1.0F : 2.0F);
      for (auto const value : {few, many, number, random.Normal()}) {
        values_.push_back(random.Below(12) == 0 ? std::nanf("") : value);
      }
    }
    host_ = WithTypes(MakeData(values_, kCols, labels_));
  }

  static Data WithTypes(Data data) {
    std::vector<char const*> types{"c", "c", "float", "float"};
    EXPECT_OK(XGDMatrixSetStrFeatureInfo(data.get(), "feature_type", types.data(), types.size()));
    return data;
  }
  /// Returns the same rows in device memory.
  Data Upload() {
    buffer_ = cuda::ToDevice(Cuda(), values_);
    Cuda().Synchronize();  // for the values: the text names no stream
    auto const text = R"({"data": [)" + std::to_string(reinterpret_cast<std::uintptr_t>(buffer_.data())) +
                      R"(, false], "typestr": "<f4", "shape": [3000, 4], "version": 2})";
    DMatrixHandle handle = nullptr;
    EXPECT_OK(XGDMatrixCreateFromCudaArrayInterface(text.c_str(), kNaNMissing, &handle));
    EXPECT_OK(XGDMatrixSetInfoFromInterface(handle, "label", Vector(labels_).c_str()));
    return WithTypes(Data(handle));
  }
  static std::string Learn(Data const& data, std::string const& device, Params more) {
    Params params{{"device", device}, {"tree_method", "exact"}, {"objective", "multi:softprob"}, {"num_class", "3"}};
    params.insert(params.end(), more.begin(), more.end());
    return ModelOf(Train(data, params, 4));
  }

  std::vector<float> values_;
  std::vector<float> labels_;
  cuda::Buffer<float> buffer_;
  Data host_;
};

TEST_F(CategoricalInput, TheSameModel) {
  auto const on_device = Upload();
  std::vector<Params> const cases{
      {{"max_depth", "6"}},
      {{"max_cat_to_onehot", "300"}, {"max_depth", "4"}},
      {{"max_cat_threshold", "5"}, {"gamma", "0.5"}},
      {{"subsample", "0.6"}, {"colsample_bynode", "0.7"}, {"interleaved_levels", "2"}},
      {{"subsample", "0.6"}, {"sampling_method", "gradient_based"}},
      {{"booster", "dart"}, {"rate_drop", "0.5"}},
      {{"num_parallel_tree", "3"}, {"colsample_bytree", "0.5"}, {"subsample", "0.8"}},
      {{"monotone_constraints", "(0,0,1)"}, {"interaction_constraints", "[[0,1],[1,2,3]]"}},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE("case " + std::to_string(i));
    auto more = cases[i];
    auto const cpu = [&] {
      Params own;
      for (auto const& item : more) {
        if (item.first != "interleaved_levels") own.push_back(item);
      }
      return own;
    }();
    auto const expected = Learn(host_, "cpu", cpu);
    EXPECT_EQ(Learn(host_, "cuda", more), expected);
    EXPECT_EQ(Learn(on_device, "cuda", more), expected) << "rows in device memory";
  }
}

TEST_F(CategoricalInput, NumbersForCategoriesAreRefused) {
  auto const booster = Train(Upload(), {{"device", "cuda"}, {"tree_method", "exact"}}, 2);
  auto const data = Upload();
  auto const config = [](std::string const& more) {
    return R"({"type": 0, "training": false, "missing": NaN, "iteration_begin": 0, "iteration_end": 0, )"
           R"("strict_shape": false)" +
           more + "}";
  };
  auto const rows = R"({"data": [)" + std::to_string(reinterpret_cast<std::uintptr_t>(buffer_.data())) +
                    R"(, false], "typestr": "<f4", "shape": [3000, 4], "version": 2})";
  auto const types = R"(, "feature_types": ["q", "c", "q", "q"])";
  bst_ulong const* shape = nullptr;
  bst_ulong dim = 0;
  float const* values = nullptr;
  auto const predict = [&] {
    return KauriBoosterPredictOnDevice(booster.get(), data.get(), config("").c_str(), &shape, &dim, &values);
  };
  auto const in_place = [&](std::string const& more) {
    return XGBoosterPredictFromCudaArray(booster.get(), rows.c_str(), config(more).c_str(), nullptr, &shape, &dim,
                                         &values);
  };
  EXPECT_OK(predict());
  EXPECT_OK(in_place(""));
  auto const expected = "column 0 holds categories in the model, but numbers (type 'q')";
  EXPECT_EQ(in_place(types), -1);
  EXPECT_NE(std::string(XGBGetLastError()).find(expected), std::string::npos);
  std::vector<char const*> numbers{"q", "c", "float", "float"};
  ASSERT_OK(XGDMatrixSetStrFeatureInfo(data.get(), "feature_type", numbers.data(), numbers.size()));
  EXPECT_EQ(predict(), -1);
  EXPECT_NE(std::string(XGBGetLastError()).find(expected), std::string::npos);
}

TEST_F(CategoricalInput, WhatIsNoCategoryIsNamed) {
  values_[4 * 17] = 0.5F;
  auto const refusal = [&](Data const& data) {
    auto const booster = MakeBooster(data, {{"device", "cuda"}, {"tree_method", "exact"}});
    EXPECT_EQ(XGBoosterUpdateOneIter(booster.get(), 0, data.get()), -1);
    return std::string(XGBGetLastError());
  };
  auto const expected = "row 17 of the categorical column 0 is 0.5";
  EXPECT_NE(refusal(WithTypes(MakeData(values_, kCols, labels_))).find(expected), std::string::npos);
  EXPECT_NE(refusal(Upload()).find(expected), std::string::npos);
}

}  // namespace
}  // namespace kauri::testing
