/// Data in device memory through the C ABI: models, predictions and errors equal the results for the same data in host
/// memory.
#include <cmath>
#include <thread>

#include "c_api/support.h"
#include "cuda/common/buffer.h"
#include "support/device_fixture.h"
#include "support/need.h"

namespace kauri::testing {
namespace {

constexpr std::int64_t kRows = 3000;
constexpr std::int64_t kCols = 6;

/// A host array, copied to the device, with the text that describes the copy.
template <typename T>
struct OnTheDevice {
  cuda::Buffer<T> buffer;
  std::string text;
};

std::string Text(void const* address, char const* typestr, std::string const& shape,
                 std::string const& more = R"(, "version": 2})") {
  return R"({"data": [)" + std::to_string(reinterpret_cast<std::uintptr_t>(address)) + R"(, false], "typestr": ")" +
         typestr + R"(", "shape": )" + shape + more;
}

std::string const kShape = "[3000, 6]";

class DeviceInput : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    values_ = MakeValues({kRows, kCols, 0.15, 0, false, 21});
    Random random(22);
    for (std::size_t row = 0; row < static_cast<std::size_t>(kRows); ++row) {
      auto const x = values_[row * kCols];
      labels_.push_back((std::isnan(x) ? 0.0F : x) + random.Normal() > 0.0F ? 1.0F : 0.0F);
      weights_.push_back(0.5 + random.Uniform());
    }
    host_ = MakeData(values_, kCols, labels_);
    EXPECT_OK(XGDMatrixSetInfoFromInterface(host_.get(), "weight", Interface(weights_, "<f8", "[3000]").c_str()));
  }

  template <typename T>
  OnTheDevice<T> Upload(std::vector<T> const& values, char const* typestr, std::string const& shape,
                        std::string const& more = R"(, "version": 2})") {
    OnTheDevice<T> result{cuda::ToDevice(Cuda(), values), {}};
    Cuda().Synchronize();  // for the values: texts of version 2 name no stream
    result.text = Text(result.buffer.data(), typestr, shape, more);
    return result;
  }

  static Data Create(std::string const& text, std::string const& config = kNaNMissing) {
    DMatrixHandle handle = nullptr;
    EXPECT_OK(XGDMatrixCreateFromCudaArrayInterface(text.c_str(), config.c_str(), &handle));
    return Data(handle);
  }
  void SetLabels(Data const& data) {
    auto const labels = Upload(labels_, "<f4", "[3000]");
    auto const weights = Upload(weights_, "<f8", "[3000]", R"(, "version": 3, "stream": 1})");
    EXPECT_OK(XGDMatrixSetInfoFromInterface(data.get(), "label", labels.text.c_str()));
    EXPECT_OK(XGDMatrixSetInfoFromInterface(data.get(), "weight", weights.text.c_str()));
  }
  static std::string ModelOf(Booster const& booster) {
    bst_ulong length = 0;
    char const* bytes = nullptr;
    EXPECT_OK(XGBoosterSaveModelToBuffer(booster.get(), R"({"format": "ubj"})", &length, &bytes));
    return {bytes, length};
  }
  static Params With(std::string const& device, Params more = {}) {
    Params params{{"device", device}, {"tree_method", "exact"}, {"objective", "binary:logistic"}, {"max_depth", "5"}};
    params.insert(params.end(), more.begin(), more.end());
    return params;
  }
  /// Returns the message of a call that must fail with this kind.
  static std::string Message(int status, int kind) {
    EXPECT_EQ(status, -1);
    EXPECT_EQ(KauriGetLastErrorKind(), kind) << XGBGetLastError();
    return XGBGetLastError();
  }

  std::vector<float> values_;
  std::vector<float> labels_;
  std::vector<double> weights_;
  Data host_;
};

TEST_F(DeviceInput, TheSameModel) {
  auto const expected = ModelOf(Train(host_, With("cpu"), 6));
  auto const rows = Upload(values_, "<f4", kShape);
  auto data = Create(rows.text);
  SetLabels(data);
  bst_ulong n_entries = 0;
  bst_ulong n_expected = 0;
  EXPECT_OK(XGDMatrixNumNonMissing(data.get(), &n_entries));
  EXPECT_OK(XGDMatrixNumNonMissing(host_.get(), &n_expected));
  EXPECT_EQ(n_entries, n_expected);
  EXPECT_EQ(ModelOf(Train(data, With("cuda"), 6)), expected);
  EXPECT_EQ(ModelOf(Train(data, With("cpu"), 6)), expected) << "rows in device memory, training on the CPU";
  EXPECT_EQ(ModelOf(Train(host_, With("cuda"), 6)), expected) << "rows in host memory, training on the device";
}

TEST_F(DeviceInput, TypesStridesAndMissingValues) {
  auto const expected = ModelOf(Train(host_, With("cpu"), 3));
  std::vector<double> by_column(values_.size());
  std::vector<float> with_gaps(3 * values_.size());
  std::vector<float> marked = values_;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    by_column[i % kCols * kRows + i / kCols] = static_cast<double>(values_[i]);
    with_gaps[3 * i] = values_[i];
    if (std::isnan(marked[i])) marked[i] = -999.0F;
  }
  auto const doubles = Upload(by_column, "<f8", kShape, R"(, "strides": [8, 24000], "version": 2})");
  auto const gaps = Upload(with_gaps, "<f4", kShape, R"(, "strides": [72, 12], "version": 2})");
  auto const with_mark = Upload(marked, "<f4", kShape);
  std::vector<Data> data;
  data.push_back(Create(doubles.text));
  data.push_back(Create(gaps.text));
  data.push_back(Create(with_mark.text, R"({"missing": -999})"));
  for (auto const& matrix : data) {
    SetLabels(matrix);
    EXPECT_EQ(ModelOf(Train(matrix, With("cuda"), 3)), expected);
  }
}

TEST_F(DeviceInput, ColumnsOfIntegersAndFloats) {
  std::vector<std::int16_t> const integers{3, -7, 11, 0};
  std::vector<double> const doubles{0.5, std::nan(""), 2.0, -4.0};
  auto const first = Upload(integers, "<i2", "[4]");
  auto const second = Upload(doubles, "<f8", "[4]");
  DMatrixHandle handle = nullptr;
  auto const text = "[" + first.text + ", " + second.text + "]";
  ASSERT_OK(XGDMatrixCreateFromCudaColumnar(text.c_str(), R"({"missing": 11})", &handle));
  Data const data(handle);
  std::vector<bst_ulong> row_ptr(5);
  std::vector<unsigned> columns(6);
  std::vector<float> values(6);
  ASSERT_OK(XGDMatrixGetDataAsCSR(handle, "{}", row_ptr.data(), columns.data(), values.data()));
  EXPECT_EQ(row_ptr, (std::vector<bst_ulong>{0, 2, 3, 4, 6}));
  EXPECT_EQ(values, (std::vector<float>{3.0F, 0.5F, -7.0F, 2.0F, 0.0F, -4.0F}));
}

TEST_F(DeviceInput, CustomGradients) {
  auto const rows = Upload(values_, "<f4", kShape);
  auto const data = Create(rows.text);
  std::vector<double> gradients;
  std::vector<std::int32_t> hessians;
  Random random(31);
  for (std::int64_t row = 0; row < 3 * kRows; ++row) {
    gradients.push_back(static_cast<double>(random.Normal()) / 3.0);
    hessians.push_back(static_cast<std::int32_t>(1 + random.Below(3)));
  }
  for (int const n_classes : {1, 3}) {
    auto const n = static_cast<std::size_t>(n_classes * kRows);
    std::vector<double> const g(gradients.begin(), gradients.begin() + static_cast<std::ptrdiff_t>(n));
    std::vector<std::int32_t> const h(hessians.begin(), hessians.begin() + static_cast<std::ptrdiff_t>(n));
    std::string const shape = n_classes == 1 ? "[3000]" : "[3000, 3]";
    auto const on_device_g = Upload(g, "<f8", shape);
    auto const on_device_h = Upload(h, "<i4", shape);
    auto const train = [&](Data const& matrix, std::string const& device, std::string const& a, std::string const& b) {
      Params more;
      if (n_classes > 1) more = {{"objective", "multi:softprob"}, {"num_class", "3"}};
      auto const booster = MakeBooster(matrix, With(device, more));
      for (int round = 0; round < 2; ++round) {
        EXPECT_OK(XGBoosterTrainOneIter(booster.get(), matrix.get(), round, a.c_str(), b.c_str()));
      }
      return ModelOf(booster);
    };
    auto const host_g = Interface(g, "<f8", shape);
    auto const host_h = Interface(h, "<i4", shape);
    auto const expected = train(host_, "cpu", host_g, host_h);
    EXPECT_EQ(train(data, "cuda", on_device_g.text, on_device_h.text), expected);
    EXPECT_EQ(train(data, "cpu", on_device_g.text, on_device_h.text), expected);
    EXPECT_EQ(train(data, "cuda", on_device_g.text, host_h), expected) << "one of each memory";
  }
}

TEST_F(DeviceInput, BadGradients) {
  auto const rows = Upload(values_, "<f4", kShape);
  auto const data = Create(rows.text);
  auto const booster = MakeBooster(data, With("cuda"));
  std::vector<float> values(3 * kRows, 1.0F);
  values[1234] = std::nanf("");
  auto const one = Upload(values, "<f4", "[3000]");
  auto const three = Upload(values, "<f4", "[3000, 3]");
  auto const few = Upload(values, "<f4", "[2999]");
  auto const boost = [&](std::string const& g, std::string const& h) {
    return Message(XGBoosterTrainOneIter(booster.get(), data.get(), 0, g.c_str(), h.c_str()), KAURI_ERROR_DATA);
  };
  EXPECT_NE(boost(one.text, one.text).find("row 1234"), std::string::npos);
  EXPECT_NE(boost(three.text, three.text).find("got 9000 gradient pairs for 3000 rows and 1 outputs"),
            std::string::npos);
  EXPECT_NE(boost(three.text, one.text).find("9000 gradients and 3000 hessians"), std::string::npos);
  EXPECT_NE(boost(few.text, one.text).find("'grad' has 2999 rows"), std::string::npos);
}

struct Result {
  std::vector<bst_ulong> shape;
  std::vector<float> values;
};

class DevicePrediction : public DeviceInput {
 protected:
  Result InPlace(Booster const& booster, std::string const& text, std::string const& config,
                 DMatrixHandle m = nullptr) {
    bst_ulong const* shape = nullptr;
    bst_ulong dim = 0;
    float const* values = nullptr;
    EXPECT_OK(XGBoosterPredictFromCudaArray(booster.get(), text.c_str(), config.c_str(), m, &shape, &dim, &values));
    return Fetch(shape, dim, values);
  }
  Result Fetch(bst_ulong const* shape, bst_ulong dim, float const* values) {
    Result result;
    result.shape.assign(shape, shape + dim);
    std::size_t size = 1;
    for (auto const length : result.shape) size *= length;
    result.values = cuda::ToHost(Cuda(), values, size);
    return result;
  }
  static std::string Config(int type, std::string const& missing = "NaN", int begin = 0, int end = 0,
                            bool training = false) {
    return R"({"type": )" + std::to_string(type) + R"(, "training": )" + (training ? "true" : "false") +
           R"(, "missing": )" + missing + R"(, "iteration_begin": )" + std::to_string(begin) +
           R"(, "iteration_end": )" + std::to_string(end) + R"(, "strict_shape": true})";
  }
  void ExpectSame(Result const& result, Predicted const& expected) {
    EXPECT_EQ(result.shape, expected.shape);
    EXPECT_TRUE(SameFloats(result.values, expected.values));
  }
};

TEST_F(DevicePrediction, InPlace) {
  auto const rows = Upload(values_, "<f4", kShape);
  std::vector<float> by_column(values_.size());
  auto marked = values_;
  std::vector<double> doubles(values_.begin(), values_.end());
  for (std::size_t i = 0; i < values_.size(); ++i) {
    by_column[i % kCols * kRows + i / kCols] = values_[i];
    if (std::isnan(marked[i])) marked[i] = -999.0F;
  }
  auto const columns = Upload(by_column, "<f4", kShape, R"(, "strides": [4, 12000], "version": 3, "stream": null})");
  auto const with_mark = Upload(marked, "<f4", kShape);
  auto const as_doubles = Upload(doubles, "<f8", kShape);
  for (auto const* device : {"cuda", "cpu"}) {
    auto const booster = Train(host_, With(device), 5);
    for (int const type : {0, 1, 2, 6}) {
      SCOPED_TRACE(std::string(device) + ", type " + std::to_string(type));
      auto const expected = Predict(booster, host_, Config(type));
      ExpectSame(InPlace(booster, rows.text, Config(type)), expected);
      ExpectSame(InPlace(booster, columns.text, Config(type)), expected);
      ExpectSame(InPlace(booster, with_mark.text, Config(type, "-999")), expected);
      ExpectSame(InPlace(booster, as_doubles.text, Config(type)), expected);
    }
    for (int const type : {0, 1, 6}) {
      ExpectSame(InPlace(booster, rows.text, Config(type, "NaN", 1, 4)),
                 Predict(booster, host_, Config(type, "NaN", 1, 4)));
    }
  }
}

TEST_F(DevicePrediction, OnTheCpuAndOnTheDevice) {
  auto const rows = Upload(values_, "<f4", kShape);
  auto const data = Create(rows.text);
  for (Params const& objective :
       {Params{}, Params{{"objective", "reg:squarederror"}}, Params{{"objective", "count:poisson"}},
        Params{{"objective", "multi:softprob"}, {"num_class", "2"}},
        Params{{"objective", "multi:softmax"}, {"num_class", "2"}}}) {
    auto const on_host = Train(host_, With("cpu", objective), 4);
    auto const on_device = Train(host_, With("cuda", objective), 4);
    for (int const type : {0, 1, 6}) {
      SCOPED_TRACE(type);
      auto const expected = Predict(on_host, host_, Config(type));
      ExpectSame(InPlace(on_device, rows.text, Config(type)), expected);
      auto const of_matrix = Predict(on_device, data, Config(type));
      EXPECT_TRUE(SameFloats(of_matrix.values, expected.values));
    }
  }
}

TEST_F(DevicePrediction, BaseMargins) {
  auto const rows = Upload(values_, "<f4", kShape);
  auto const margins = Upload(UniformValues(kRows, -1.0F, 1.0F, 8), "<f4", "[3000]");
  auto const booster = Train(host_, With("cuda"), 4);
  DMatrixHandle handle = nullptr;
  ASSERT_OK(XGProxyDMatrixCreate(&handle));
  Data const proxy(handle);
  ASSERT_OK(XGProxyDMatrixSetDataCudaArrayInterface(handle, rows.text.c_str()));
  ASSERT_OK(XGDMatrixSetInfoFromInterface(handle, "base_margin", margins.text.c_str()));
  ASSERT_OK(XGDMatrixSetInfoFromInterface(host_.get(), "base_margin", margins.text.c_str()));
  ExpectSame(InPlace(booster, rows.text, Config(0), handle), Predict(booster, host_, Config(0)));
}

TEST_F(DevicePrediction, MarginsOfTraining) {
  auto const rows = Upload(values_, "<f4", kShape);
  auto const data = Create(rows.text);
  SetLabels(data);
  auto const booster = MakeBooster(data, With("cuda"));
  bst_ulong const* shape = nullptr;
  bst_ulong dim = 0;
  float const* values = nullptr;
  for (int round = 0; round < 4; ++round) {
    for (int const type : {0, 1}) {
      auto const config = Config(type, "NaN", 0, 0, true);
      ASSERT_OK(KauriBoosterPredictOnDevice(booster.get(), data.get(), config.c_str(), &shape, &dim, &values));
      ExpectSame(Fetch(shape, dim, values), Predict(booster, data, config));
    }
    ASSERT_OK(XGBoosterUpdateOneIter(booster.get(), round, data.get()));
  }
  auto const config = Config(1, "NaN", 1, 3);
  ASSERT_OK(KauriBoosterPredictOnDevice(booster.get(), data.get(), config.c_str(), &shape, &dim, &values));
  ExpectSame(Fetch(shape, dim, values), Predict(booster, host_, config));
}

TEST_F(DevicePrediction, OutlivesTheBooster) {
  auto const rows = Upload(values_, "<f4", kShape);
  auto booster = Train(host_, With("cuda"), 4);
  auto const expected = Predict(booster, host_, Config(0));
  bst_ulong const* shape = nullptr;
  bst_ulong dim = 0;
  float const* values = nullptr;
  ASSERT_OK(XGBoosterPredictFromCudaArray(booster.get(), rows.text.c_str(), Config(0).c_str(), nullptr, &shape, &dim,
                                          &values));
  KauriDeviceArrayHandle kept = nullptr;
  ASSERT_OK(KauriBoosterTakePrediction(booster.get(), &kept));
  InPlace(booster, rows.text, Config(1));
  booster.reset();
  EXPECT_TRUE(SameFloats(cuda::ToHost(Cuda(), values, kRows), expected.values));
  std::vector<float> on_host(kRows);
  ASSERT_OK(KauriDeviceArrayToHost(kept, on_host.data()));
  EXPECT_TRUE(SameFloats(on_host, expected.values));
  ASSERT_OK(KauriDeviceArrayFree(kept));
}

TEST_F(DevicePrediction, FromManyThreads) {
  auto const rows = Upload(values_, "<f4", kShape);
  auto const booster = Train(host_, With("cuda"), 5);
  auto const expected = Predict(booster, host_, Config(0)).values;
  std::vector<std::vector<float>> results(4);
  std::vector<std::thread> threads;
  for (auto& result : results) {
    threads.emplace_back([&] {
      cuda::StreamOwner const own(0);
      for (int repeat = 0; repeat < 5; ++repeat) {
        bst_ulong const* shape = nullptr;
        bst_ulong dim = 0;
        float const* values = nullptr;
        EXPECT_OK(XGBoosterPredictFromCudaArray(booster.get(), rows.text.c_str(), Config(0).c_str(), nullptr, &shape,
                                                &dim, &values));
        result = cuda::ToHost(own.Context(), values, kRows);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (auto const& result : results) EXPECT_TRUE(SameFloats(result, expected));
}

TEST_F(DevicePrediction, BadArrays) {
  auto const booster = Train(host_, With("cuda"), 1);
  bst_ulong const* shape = nullptr;
  bst_ulong dim = 0;
  float const* values = nullptr;
  auto const refusal = [&](std::string const& text, int kind) {
    return Message(
        XGBoosterPredictFromCudaArray(booster.get(), text.c_str(), Config(0).c_str(), nullptr, &shape, &dim, &values),
        kind);
  };
  EXPECT_NE(refusal(Text(values_.data(), "<f4", kShape), KAURI_ERROR_DATA).find("is in host memory"),
            std::string::npos);
  auto const rows = Upload(values_, "<f4", "[2000, 9]");
  EXPECT_NE(refusal(rows.text, KAURI_ERROR_DATA).find("9 features, the model 6"), std::string::npos);
  auto const far = Text(rows.buffer.data(), "<f4", "[1000000000000, 6]");
  EXPECT_NE(refusal(far, KAURI_ERROR_DATA).find("reaches out of the device's memory"), std::string::npos);
  DMatrixHandle handle = nullptr;
  auto const message = Message(
      XGDMatrixCreateFromDense(Upload(values_, "<f4", kShape, R"(, "stream": 1})").text.c_str(), kNaNMissing, &handle),
      KAURI_ERROR_DATA);
  EXPECT_NE(message.find("lives on a device"), std::string::npos) << message;
}

TEST_F(DevicePrediction, OfAnotherDevice) {
  int n_devices = 0;
  ASSERT_EQ(cudaGetDeviceCount(&n_devices), cudaSuccess);
  KAURI_SKIP_UNLESS(n_devices >= 2, "one CUDA device");
  auto const rows = Upload(values_, "<f4", kShape);
  auto const data = Create(rows.text);
  SetLabels(data);
  auto const booster = MakeBooster(data, With("cuda:1"));
  EXPECT_NE(Message(XGBoosterUpdateOneIter(booster.get(), 0, data.get()), KAURI_ERROR_DEVICE).find("set device=cuda:0"),
            std::string::npos);
}

}  // namespace
}  // namespace kauri::testing
