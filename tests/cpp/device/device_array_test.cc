/// Arrays in device memory through the C ABI, with host memory standing in for the device's. The CPU trains and
/// predicts the same as with these numbers in host memory.
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "device/device_arrays.h"

namespace kauri::testing {
namespace {

Data FromDevice(std::vector<float> const& values, std::int64_t n_cols, std::vector<float> const& labels = {},
                std::string const& config = kNaNMissing) {
  DMatrixHandle handle = nullptr;
  EXPECT_OK(XGDMatrixCreateFromCudaArrayInterface(OnDevice(Table(values, n_cols)).c_str(), config.c_str(), &handle));
  Data data(handle);
  if (!labels.empty()) {
    EXPECT_OK(XGDMatrixSetInfoFromInterface(handle, "label", OnDevice(Vector(labels)).c_str()));
  }
  return data;
}

TEST_F(DeviceArrays, TrainTheSameModel) {
  auto const data = FromDevice(problem_.values, 4, problem_.labels);
  bst_ulong n_entries = 0;
  bst_ulong expected = 0;
  EXPECT_OK(XGDMatrixNumNonMissing(data.get(), &n_entries));
  EXPECT_OK(XGDMatrixNumNonMissing(problem_.data.get(), &expected));
  EXPECT_EQ(n_entries, expected);
  EXPECT_EQ(TheLog().copies_to_host, 0);
  for (auto const* method : {"exact", "hist"}) {
    auto params = Logistic();
    params.emplace_back("tree_method", method);
    EXPECT_EQ(ModelOf(Train(data, params, 4)), ModelOf(Train(problem_.data, params, 4)));
  }
  EXPECT_EQ(TheLog().copies_to_host, 1);
}

TEST_F(DeviceArrays, OneCopyForManyThreads) {
  auto const data = FromDevice(problem_.values, 4);
  auto const booster = Train(problem_.data, Logistic(), 3);
  auto const expected = Predict(booster, problem_.data).values;
  std::vector<std::vector<float>> results(4);
  std::vector<std::thread> threads;
  for (auto& result : results) {
    threads.emplace_back([&] { result = Predict(booster, data).values; });
  }
  for (auto& thread : threads) thread.join();
  for (auto const& result : results) EXPECT_EQ(result, expected);
  EXPECT_EQ(TheLog().copies_to_host, 1);
}

TEST_F(DeviceArrays, ColumnsMissingValuesAndStreams) {
  std::vector<float> const first{1, -999, 3};
  std::vector<std::int32_t> const second{-999, 5, 6};
  auto const json = "[" + OnDevice(Vector(first), "2") + ", " + OnDevice(Interface(second, "<i4", "[3]"), "77") + "]";
  DMatrixHandle handle = nullptr;
  ASSERT_OK(XGDMatrixCreateFromCudaColumnar(json.c_str(), R"({"missing": -999})", &handle));
  Data const data(handle);
  EXPECT_EQ(TheLog().last_stream, 77U);
  std::vector<bst_ulong> row_ptr(4);
  std::vector<unsigned> columns(4);
  std::vector<float> values(4);
  ASSERT_OK(XGDMatrixGetDataAsCSR(handle, "{}", row_ptr.data(), columns.data(), values.data()));
  EXPECT_EQ(row_ptr, (std::vector<bst_ulong>{0, 1, 2, 4}));
  EXPECT_EQ(columns, (std::vector<unsigned>{0, 1, 0, 1}));
  EXPECT_EQ(values, (std::vector<float>{1, 5, 3, 6}));
  int const rows[] = {2, 0};
  ASSERT_OK(XGDMatrixSliceDMatrix(handle, rows, 2, &handle));
  Data const slice(handle);
  bst_ulong n_entries = 0;
  EXPECT_OK(XGDMatrixNumNonMissing(slice.get(), &n_entries));
  EXPECT_EQ(n_entries, 3U);
}

TEST_F(DeviceArrays, FieldsAreCopied) {
  auto const data = FromDevice(problem_.values, 4);
  std::vector<double> margins(400);
  for (std::size_t i = 0; i < margins.size(); ++i) margins[i] = 0.5 * static_cast<double>(i);
  auto const json = OnDevice(Interface(margins, "<f8", "[200, 2]"), "null");
  ASSERT_OK(XGDMatrixSetInfoFromInterface(data.get(), "base_margin", json.c_str()));
  std::vector<std::int32_t> const groups{150, 50};
  ASSERT_OK(XGDMatrixSetInfoFromInterface(data.get(), "group", OnDevice(Interface(groups, "<i4", "[2]")).c_str()));
  bst_ulong length = 0;
  float const* floats = nullptr;
  ASSERT_OK(XGDMatrixGetFloatInfo(data.get(), "base_margin", &length, &floats));
  ASSERT_EQ(length, 400U);
  EXPECT_EQ(floats[399], 199.5F);
  unsigned const* integers = nullptr;
  ASSERT_OK(XGDMatrixGetUIntInfo(data.get(), "group_ptr", &length, &integers));
  ASSERT_EQ(length, 3U);
  EXPECT_EQ(integers[1], 150U);
}

TEST_F(DeviceArrays, Gradients) {
  auto const data = FromDevice(problem_.values, 4);
  auto const train = [&](Data const& matrix, std::string const& gradients, std::string const& hessians) {
    auto const booster = MakeBooster(matrix, Logistic());
    EXPECT_OK(XGBoosterTrainOneIter(booster.get(), matrix.get(), 0, gradients.c_str(), hessians.c_str()));
    return ModelOf(booster);
  };
  auto const gradients = Features(200, 1, 5);
  auto const hessians = Features(200, 1, 6);
  auto const expected = train(problem_.data, Vector(gradients), Vector(hessians));
  EXPECT_EQ(train(data, OnDevice(Vector(gradients)), OnDevice(Vector(hessians))), expected);
  EXPECT_EQ(train(data, OnDevice(Vector(gradients)), Vector(hessians)), expected);
  std::vector<float> reversed(gradients.rbegin(), gradients.rend());
  auto backwards = Vector(reversed);
  auto const at = backwards.find("null");
  backwards.replace(at, 4, "[-4]");
  auto const address = std::to_string(reinterpret_cast<std::uintptr_t>(reversed.data()));
  backwards.replace(backwards.find(address), address.size(),
                    std::to_string(reinterpret_cast<std::uintptr_t>(reversed.data() + 199)));
  EXPECT_EQ(train(data, backwards, Vector(hessians)), expected) << "host arrays may have negative strides";
}

struct DeviceResult {
  std::vector<bst_ulong> shape;
  float const* values = nullptr;
};

class DevicePredictions : public DeviceArrays {
 protected:
  void SetUp() override {
    DeviceArrays::SetUp();
    booster_ = Train(problem_.data, Logistic(), 3);
  }
  DeviceResult InPlace(std::string const& config, DMatrixHandle m = nullptr) {
    bst_ulong const* shape = nullptr;
    bst_ulong dim = 0;
    DeviceResult result;
    EXPECT_OK(XGBoosterPredictFromCudaArray(booster_.get(), OnDevice(Table(problem_.values, 4)).c_str(), config.c_str(),
                                            m, &shape, &dim, &result.values));
    result.shape.assign(shape, shape + dim);
    return result;
  }

  Booster booster_;
};

TEST_F(DevicePredictions, InPlace) {
  for (int const type : {0, 1, 2, 6}) {
    auto const expected = Predict(booster_, problem_.data, PredictConfig(type, true));
    auto const result = InPlace(PredictConfig(type, true));
    EXPECT_EQ(result.shape, expected.shape);
    EXPECT_EQ(std::memcmp(result.values, expected.values.data(), expected.values.size() * sizeof(float)), 0) << type;
  }
  EXPECT_EQ(TheLog().borrowed, 4);
  auto const expected = Predict(booster_, problem_.data, PredictConfig(1, false, 1, 2));
  auto const result = InPlace(PredictConfig(1, false, 1, 2));
  EXPECT_EQ(std::memcmp(result.values, expected.values.data(), 200 * sizeof(float)), 0);
}

TEST_F(DevicePredictions, BaseMarginOfAProxy) {
  DMatrixHandle handle = nullptr;
  ASSERT_OK(XGProxyDMatrixCreate(&handle));
  Data const proxy(handle);
  auto const margins = Features(200, 1, 9);
  ASSERT_OK(XGProxyDMatrixSetDataCudaArrayInterface(handle, OnDevice(Table(problem_.values, 4)).c_str()));
  ASSERT_OK(XGDMatrixSetInfoFromInterface(handle, "base_margin", OnDevice(Vector(margins)).c_str()));
  ASSERT_OK(XGDMatrixSetInfoFromInterface(problem_.data.get(), "base_margin", Vector(margins).c_str()));
  auto const expected = Predict(booster_, problem_.data).values;
  EXPECT_EQ(std::memcmp(InPlace(PredictConfig(0), handle).values, expected.data(), 200 * sizeof(float)), 0);
}

TEST_F(DevicePredictions, MayOutliveTheBooster) {
  auto const expected = Predict(booster_, problem_.data).values;
  auto const before = TheLog().live_results.load();
  auto const* address = InPlace(PredictConfig(0)).values;
  KauriDeviceArrayHandle kept = nullptr;
  ASSERT_OK(KauriBoosterTakePrediction(booster_.get(), &kept));
  KauriDeviceArrayHandle none = nullptr;
  EXPECT_NE(Message(KauriBoosterTakePrediction(booster_.get(), &none)).find("no prediction"), std::string::npos);
  InPlace(PredictConfig(1));
  EXPECT_EQ(TheLog().live_results, before + 2);
  booster_.reset();
  EXPECT_EQ(TheLog().live_results, before + 1);
  EXPECT_EQ(std::memcmp(address, expected.data(), 200 * sizeof(float)), 0);
  std::vector<float> on_host(200);
  ASSERT_OK(KauriDeviceArrayToHost(kept, on_host.data()));
  EXPECT_EQ(on_host, expected);
  EXPECT_EQ(KauriDeviceArrayToHost(kept, nullptr), -1);
  char const* text = nullptr;
  ASSERT_OK(KauriDeviceArrayDescribe(kept, &text));
  EXPECT_EQ(ParseDeviceArrayInterface(text).view.shape[0], static_cast<std::int64_t>(on_host.size()));
  EXPECT_EQ(ParseDeviceArrayInterface(text).stream, DeviceArray::kReady);
  EXPECT_EQ(KauriDeviceArrayDescribe(kept, nullptr), -1);
  ASSERT_OK(KauriDeviceArrayFree(kept));
  EXPECT_EQ(TheLog().live_results, before);
  EXPECT_EQ(KauriDeviceArrayFree(nullptr), -1);
}

TEST_F(DevicePredictions, OfADMatrix) {
  auto const data = FromDevice(problem_.values, 4);
  bst_ulong const* shape = nullptr;
  bst_ulong dim = 0;
  float const* values = nullptr;
  auto const training = std::string(R"({"type": 1, "training": true, "iteration_begin": 0, "iteration_end": 0, )") +
                        R"("strict_shape": false})";
  for (auto const& config : {PredictConfig(0), PredictConfig(1), training}) {
    auto const expected = Predict(booster_, problem_.data, config).values;
    ASSERT_OK(KauriBoosterPredictOnDevice(booster_.get(), data.get(), config.c_str(), &shape, &dim, &values));
    EXPECT_EQ(std::memcmp(values, expected.data(), 200 * sizeof(float)), 0) << config;
  }
  auto const message = Message(KauriBoosterPredictOnDevice(booster_.get(), problem_.data.get(),
                                                           PredictConfig(0).c_str(), &shape, &dim, &values));
  EXPECT_NE(message.find("host memory"), std::string::npos) << message;
}

TEST_F(DevicePredictions, TooManyColumns) {
  std::vector<float> const wide(10);
  bst_ulong const* shape = nullptr;
  bst_ulong dim = 0;
  float const* values = nullptr;
  auto const message = Message(XGBoosterPredictFromCudaArray(booster_.get(), OnDevice(Table(wide, 5)).c_str(),
                                                             PredictConfig(0).c_str(), nullptr, &shape, &dim, &values));
  EXPECT_NE(message.find("have 5 features, the model 4"), std::string::npos) << message;
}

TEST_F(DeviceArrays, RowsAreShuffledThere) {
  auto const from = Features(300, 2);
  std::vector<float> on_host(from.size());
  std::vector<float> there(from.size());
  ASSERT_OK(KauriShuffleRows(Table(from, 2).c_str(), Table(on_host, 2).c_str(), 9));
  ASSERT_OK(KauriShuffleRows(OnDevice(Table(from, 2), "7").c_str(), OnDevice(Table(there, 2)).c_str(), 9));
  EXPECT_EQ(there, on_host);
  EXPECT_EQ(TheLog().last_stream, 7U);
  there = from;
  on_host = from;
  ASSERT_OK(KauriShuffleRows(Table(on_host, 2).c_str(), Table(on_host, 2).c_str(), 9));
  ASSERT_OK(KauriShuffleRows(OnDevice(Table(there, 2)).c_str(), OnDevice(Table(there, 2)).c_str(), 9));
  EXPECT_EQ(there, on_host);
  EXPECT_NE(there, from);
}

TEST_F(DeviceArrays, BadTexts) {
  std::vector<float> const values{1, 2, 3, 4};
  auto const refusal = [](std::string const& json) {
    DMatrixHandle handle = nullptr;
    return Message(XGDMatrixCreateFromCudaArrayInterface(json.c_str(), kNaNMissing, &handle));
  };
  EXPECT_NE(refusal(OnDevice(Table(values, 2), "0")).find("stream is 0; expected null, 1"), std::string::npos);
  EXPECT_NE(refusal(OnDevice(Table(values, 2), "-3")).find("stream is -3"), std::string::npos);
  EXPECT_NE(refusal(OnDevice(Table(values, 2), "\"x\"")).find("stream is \"x\""), std::string::npos);
  auto json = OnDevice(Table(values, 2));
  json.replace(json.find("\"strides\": null"), 15, "\"strides\": [8, -4]");
  EXPECT_NE(refusal(json).find("strides [8, -4] are negative"), std::string::npos) << refusal(json);
  EXPECT_NE(refusal(json).find("ascontiguousarray"), std::string::npos);
  DMatrixHandle handle = nullptr;
  auto const columns = "[" + OnDevice(Vector(values)) + ", " + OnDevice(Vector({1.0F})) + "]";
  auto const message = Message(XGDMatrixCreateFromCudaColumnar(columns.c_str(), kNaNMissing, &handle));
  EXPECT_NE(message.find("column 1 has 1 rows, but column 0 has 4"), std::string::npos) << message;
}

}  // namespace
}  // namespace kauri::testing
