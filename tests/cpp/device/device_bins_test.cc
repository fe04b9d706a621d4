/// QuantileDMatrix of a batch in device memory, which computes edges and codes there. It differs from host memory only
/// in who makes the codes, and when host memory gets them.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "c_api/batches.h"
#include "data/batches/row_source.h"
#include "data/bins/bin_store_maker.h"
#include "data/matrix_view.h"
#include "device/device_arrays.h"
#include "support/error.h"

namespace kauri::testing {
namespace {

/// Fields that a batch sets on its proxy.
using Fields = std::vector<std::pair<char const*, std::vector<float>>>;

std::function<void(DMatrixHandle)> BatchOf(std::string interface, bool on_device, Fields fields) {
  return [interface = std::move(interface), on_device, fields = std::move(fields)](DMatrixHandle proxy) {
    auto* const set = on_device ? XGProxyDMatrixSetDataCudaArrayInterface : XGProxyDMatrixSetDataDense;
    EXPECT_OK(set(proxy, on_device ? OnDevice(interface).c_str() : interface.c_str()));
    for (auto const& [name, values] : fields) {
      EXPECT_OK(XGDMatrixSetInfoFromInterface(proxy, name, Vector(values).c_str()));
    }
  };
}

class DeviceBatches : public DeviceArrays {
 protected:
  Data BinsOf(bool on_device, Fields const& more = {}, DMatrixHandle ref = nullptr) {
    Fields fields{{"label", problem_.labels}};
    fields.insert(fields.end(), more.begin(), more.end());
    return Read({BatchOf(Table(problem_.values, 4), on_device, fields)}, ref);
  }
  static Data Read(std::vector<std::function<void(DMatrixHandle)>> batches, DMatrixHandle ref = nullptr) {
    Batches source(std::move(batches));
    DMatrixHandle handle = nullptr;
    EXPECT_OK(source.ReadBins(ref, &handle));
    return Data(handle);
  }
  static std::string Trained(Data const& data, Params const& more = {}) {
    auto params = Logistic();
    params.emplace_back("tree_method", "hist");
    params.insert(params.end(), more.begin(), more.end());
    return ModelOf(Train(data, params, 4));
  }
  static Data Slice(Data const& data, std::vector<int> const& rows) {
    DMatrixHandle handle = nullptr;
    EXPECT_OK(XGDMatrixSliceDMatrix(data.get(), rows.data(), rows.size(), &handle));
    return Data(handle);
  }
};

TEST_F(DeviceBatches, TrainTheSameModel) {
  auto const expected = BinsOf(false);
  auto const bins = BinsOf(true);
  EXPECT_EQ(TheLog().binned, 1);
  bst_ulong n_entries = 0;
  bst_ulong n_expected = 0;
  EXPECT_OK(XGDMatrixNumNonMissing(bins.get(), &n_entries));
  EXPECT_OK(XGDMatrixNumNonMissing(expected.get(), &n_expected));
  EXPECT_EQ(n_entries, n_expected);
  EXPECT_EQ(TheLog().codes_to_host, 0) << "nobody asked for them";
  for (auto const& more : {Params{}, Params{{"grow_policy", "lossguide"}, {"max_leaves", "9"}}}) {
    EXPECT_EQ(Trained(bins, more), Trained(expected, more));
  }
  EXPECT_EQ(TheLog().codes_to_host, 1);
}

TEST_F(DeviceBatches, CutsNeedNoCodes) {
  auto const bins = BinsOf(true);
  char const* begin = nullptr;
  char const* cuts = nullptr;
  EXPECT_OK(XGDMatrixGetQuantileCut(bins.get(), "{}", &begin, &cuts));
  for (bool const on_device : {false, true}) {
    auto const other = BinsOf(on_device, {}, bins.get());
    EXPECT_EQ(TheLog().codes_to_host, 0);
    EXPECT_EQ(TheLog().binned, on_device ? 2 : 1);
    EXPECT_EQ(Trained(other), Trained(BinsOf(false)));
  }
}

TEST_F(DeviceBatches, WeightsMakeOtherCuts) {
  std::vector<float> weights(problem_.labels.size(), 1.0F);
  for (std::size_t row = 0; row < weights.size(); row += 3) weights[row] = 7.5F;
  EXPECT_EQ(Trained(BinsOf(true, {{"weight", weights}})), Trained(BinsOf(false, {{"weight", weights}})));
  EXPECT_EQ(TheLog().binned, 1);
}

TEST_F(DeviceBatches, CodesAreFetchedOnceForManyThreads) {
  auto const bins = BinsOf(true);
  auto const booster = Train(problem_.data, Logistic(), 3);
  auto const expected = Predict(booster, BinsOf(false)).values;
  std::vector<std::vector<float>> results(4);
  std::vector<std::thread> threads;
  for (auto& result : results) {
    threads.emplace_back([&] { result = Predict(booster, bins).values; });
  }
  for (auto& thread : threads) thread.join();
  for (auto const& result : results) EXPECT_EQ(result, expected);
  EXPECT_EQ(TheLog().codes_to_host, 1);
}

TEST_F(DeviceBatches, Slices) {
  std::vector<int> const rows{5, 7, 7, 100, 3, 199, 0, 42, 43, 44, 45, 46};
  EXPECT_EQ(Trained(Slice(BinsOf(true), rows)), Trained(Slice(BinsOf(false), rows)));
}

TEST_F(DeviceBatches, TheCutsOfOtherRows) {
  auto const ref = BinsOf(false);
  for (auto& value : problem_.values) value = 1.5F * value - 0.25F;
  EXPECT_EQ(Trained(BinsOf(true, {}, ref.get())), Trained(BinsOf(false, {}, ref.get())));
  EXPECT_EQ(TheLog().binned, 1);
}

/// The rows in two halves, each on the device or not.
class DeviceHalves : public DeviceBatches {
 protected:
  Data Halves(bool first_on_device, bool second_on_device, DMatrixHandle ref = nullptr) {
    std::vector<std::function<void(DMatrixHandle)>> batches;
    for (bool const second : {false, true}) {
      values_[second ? 1 : 0] = Half(problem_.values, second);
      batches.push_back(BatchOf(Table(values_[second ? 1 : 0], 4), second ? second_on_device : first_on_device,
                                {{"label", Half(problem_.labels, second)}}));
    }
    return Read(std::move(batches), ref);
  }

 private:
  static std::vector<float> Half(std::vector<float> const& of, bool second) {
    auto const middle = of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2);
    return second ? std::vector<float>(middle, of.end()) : std::vector<float>(of.begin(), middle);
  }

  std::vector<float> values_[2];
};

TEST_F(DeviceHalves, AreCodedThere) {
  auto const halves = Halves(true, true);
  EXPECT_EQ(TheLog().binned, 1);
  EXPECT_EQ(TheLog().codes_to_host, 0);
  EXPECT_EQ(Trained(halves), Trained(BinsOf(false)));
  auto const ref = BinsOf(false);
  for (auto& value : problem_.values) value = 1.5F * value - 0.25F;
  EXPECT_EQ(Trained(Halves(true, true, ref.get())), Trained(BinsOf(false, {}, ref.get())));
}

TEST_F(DeviceHalves, OnBothSidesAreTheHosts) {
  auto const expected = Trained(BinsOf(false));
  EXPECT_EQ(Trained(Halves(true, false)), expected);
  EXPECT_EQ(Trained(Halves(false, true)), expected);
  EXPECT_EQ(TheLog().binned, 0);
}

TEST_F(DeviceBatches, OneBatchIsAskedForOnce) {
  constexpr char kOneBatch[] = R"({"missing": NaN, "one_batch": true})";
  auto const batch = BatchOf(Table(problem_.values, 4), true, {{"label", problem_.labels}});
  auto const asked = TheLog().borrowed.load();
  Batches one({batch});
  DMatrixHandle handle = nullptr;
  ASSERT_OK(one.ReadBins(nullptr, &handle, kOneBatch));
  Data const data(handle);
  EXPECT_EQ(TheLog().borrowed, asked + 1);
  EXPECT_EQ(Trained(data), Trained(BinsOf(false)));
  Batches two({batch, batch});
  EXPECT_NE(Message(two.ReadBins(nullptr, &handle, kOneBatch)).find("more than the one batch that was expected"),
            std::string::npos);
  Batches none({});
  EXPECT_NE(Message(none.ReadBins(nullptr, &handle, kOneBatch)).find("no batch"), std::string::npos);
}

class DeviceLabels : public DeviceBatches {
 protected:
  static constexpr char kOneBatch[] = R"({"missing": NaN, "one_batch": true})";

  /// Returns rows on the device with labels there, which are set after `before` and before `after`.
  std::function<void(DMatrixHandle)> WithLabels(std::vector<float> const& labels, Fields const& before = {},
                                                Fields const& after = {}) {
    auto const set = [](DMatrixHandle proxy, Fields const& fields) {
      for (auto const& [name, values] : fields) {
        EXPECT_OK(XGDMatrixSetInfoFromInterface(proxy, name, Vector(values).c_str()));
      }
    };
    return [this, labels, before, after, set](DMatrixHandle proxy) {
      BatchOf(Table(problem_.values, 4), true, {})(proxy);
      set(proxy, before);
      EXPECT_OK(XGDMatrixSetInfoFromInterface(proxy, "label", OnDevice(Vector(labels)).c_str()));
      set(proxy, after);
    };
  }
  int Make(std::vector<std::function<void(DMatrixHandle)>> batches, DMatrixHandle* out, char const* config) {
    Batches source(std::move(batches));
    return source.ReadBins(nullptr, out, config);
  }
  Data Made(std::vector<std::function<void(DMatrixHandle)>> batches, char const* config = kOneBatch) {
    DMatrixHandle handle = nullptr;
    EXPECT_OK(Make(std::move(batches), &handle, config));
    return Data(handle);
  }
};

TEST_F(DeviceLabels, AreThoseOfTheHost) {
  auto const fetched = TheLog().fetched_later.load();
  auto const data = Made({WithLabels(problem_.labels)});
  EXPECT_EQ(TheLog().fetched_later, fetched + 1);
  bst_ulong n_labels = 0;
  float const* labels = nullptr;
  EXPECT_OK(XGDMatrixGetFloatInfo(data.get(), "label", &n_labels, &labels));
  EXPECT_EQ(std::vector<float>(labels, labels + n_labels), problem_.labels);
  EXPECT_EQ(Trained(data), Trained(BinsOf(false)));
  EXPECT_EQ(Trained(Made({WithLabels(problem_.labels)}, R"({"missing": NaN})")), Trained(BinsOf(false)));
}

TEST_F(DeviceLabels, OtherFieldsComeBeforeAndAfter) {
  Fields const weights{{"weight", std::vector<float>(problem_.labels.size(), 3.0F)}};
  auto const expected = Trained(BinsOf(false, weights));
  EXPECT_EQ(Trained(Made({WithLabels(problem_.labels, weights)})), expected);
  EXPECT_EQ(Trained(Made({WithLabels(problem_.labels, {}, weights)})), expected);
}

TEST_F(DeviceLabels, TheLastOnesCount) {
  std::vector<float> const others(problem_.labels.size(), 0.0F);
  Fields const right{{"label", problem_.labels}};
  EXPECT_EQ(Trained(Made({WithLabels(others, {}, right)})), Trained(BinsOf(false)));
  EXPECT_EQ(Trained(Made({WithLabels(problem_.labels, {{"label", others}})})), Trained(BinsOf(false)));
}

TEST_F(DeviceLabels, AProxyShowsThem) {
  DMatrixHandle handle = nullptr;
  ASSERT_OK(XGProxyDMatrixCreate(&handle));
  Data const proxy(handle);
  WithLabels(problem_.labels)(handle);
  bst_ulong n_labels = 0;
  float const* labels = nullptr;
  EXPECT_OK(XGDMatrixGetFloatInfo(handle, "label", &n_labels, &labels));
  EXPECT_EQ(std::vector<float>(labels, labels + n_labels), problem_.labels);
  WithLabels(problem_.labels)(handle);  // frees the labels while they are being copied
}

TEST_F(DeviceLabels, BadOnesAreErrorsOfTheMatrix) {
  auto const few = std::vector<float>(problem_.labels.begin(), problem_.labels.begin() + 10);
  auto bad = problem_.labels;
  bad[17] = std::numeric_limits<float>::quiet_NaN();
  for (auto const* config : {kOneBatch, R"({"missing": NaN})"}) {
    DMatrixHandle handle = nullptr;
    EXPECT_NE(Message(Make({WithLabels(few)}, &handle, config)).find("label has 10 values"), std::string::npos);
    EXPECT_NE(Message(Make({WithLabels(bad)}, &handle, config)).find("label of row 17 is nan"), std::string::npos);
  }
}

/// A batch of host rows that nobody has searched for infinite values.
class UnsearchedBatch : public RowSource {
 public:
  UnsearchedBatch(std::vector<float> const& values, std::int64_t n_cols) : values_(values), n_cols_(n_cols) {}
  void Restart() override { is_read_ = false; }
  bool Next(Context const&, RowBatch* batch) override {
    if (is_read_) return false;
    is_read_ = true;
    batch->info = {};
    batch->info.n_rows = static_cast<std::int64_t>(values_.size()) / n_cols_;
    batch->info.n_cols = n_cols_;
    batch->rows = MakeRowsView(values_.data(), batch->info.n_rows, n_cols_);
    batch->may_be_infinite = true;
    return true;
  }

 private:
  std::vector<float> const& values_;
  std::int64_t n_cols_;
  bool is_read_ = false;
};

/// Rows of the host that a device encodes.
class RowsForDevice : public DeviceBatches {
 protected:
  static constexpr std::size_t kRows = (std::size_t{1} << 15U) + 3;  // enough values for a device

  void SetUp() override {
    DeviceBatches::SetUp();
    auto const& some = problem_.values;
    for (std::size_t i = 0; values_.size() < 4 * kRows; ++i) values_.push_back(some[i % some.size()]);
  }
  std::unique_ptr<DataMatrix> Make(bool on_device, DataMatrix const* like = nullptr) const {
    UnsearchedBatch source(values_, 4);
    BinStoreOptions options;
    options.like = like;
    options.is_one_batch = true;
    if (on_device) options.device = 0;
    options.make_on_device = [](Context const& ctx, kauri::DeviceBatches const& rows, BinRequest const& request) {
      return FakeDeviceMemory().MakeBins(ctx, rows, request);
    };
    return MakeBinnedMatrix(Context(), &source, options);
  }

  std::vector<float> values_;
};

TEST_F(RowsForDevice, HaveTheHostsCodes) {
  auto const codes = [](std::unique_ptr<DataMatrix> const& data) {
    auto copy = *kauri::BinsOf(*data)->InMemory();
    auto const bytes = copy.MutableCodes();
    return std::string(bytes.begin(), bytes.end());
  };
  auto const there = Make(true);
  EXPECT_EQ(TheLog().binned, 1);
  EXPECT_EQ(codes(there), codes(Make(false)));
  EXPECT_EQ(TheLog().binned, 1);
}

TEST_F(RowsForDevice, InfiniteValuesAreRefusedWhereverTheyAreEncoded) {
  auto const ref = Make(false);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (auto const value : {kInfinity, -kInfinity}) {
    values_[4 * 777 + 2] = value;
    values_[4 * 30'000 + 1] = -value;
    auto const* const expected = value > 0 ? "row 777, column 2 is inf" : "row 777, column 2 is -inf";
    for (bool const on_device : {false, true}) {
      SCOPED_TRACE(on_device);
      ExpectParts(MessageOf(ErrorKind::kData, [&] { Make(on_device); }), {expected});
      ExpectParts(MessageOf(ErrorKind::kData, [&] { Make(on_device, ref.get()); }), {expected});
    }
  }
  values_.resize(4 * 800);  // too few for a device
  TheLog().binned = 0;
  ExpectParts(MessageOf(ErrorKind::kData, [&] { Make(true); }), {"row 777, column 2 is -inf"});
  EXPECT_EQ(TheLog().binned, 0);
}

TEST_F(DeviceBatches, AnInfiniteValueOfTheHostIsRefused) {
  problem_.values[4 * 17 + 1] = std::numeric_limits<float>::infinity();
  for (auto const* config : {R"({"missing": NaN, "one_batch": true})", R"({"missing": NaN})"}) {
    Batches source({BatchOf(Table(problem_.values, 4), false, {{"label", problem_.labels}})});
    DMatrixHandle handle = nullptr;
    EXPECT_NE(Message(source.ReadBins(nullptr, &handle, config)).find("row 17, column 1 is inf"), std::string::npos);
  }
}

TEST_F(DeviceBatches, OtherBinsAreRefused) {
  auto const bins = BinsOf(true);
  auto const booster = MakeBooster(bins, {{"tree_method", "hist"}, {"max_bin", "64"}});
  EXPECT_NE(Message(XGBoosterUpdateOneIter(booster.get(), 0, bins.get())).find("max_bin=64"), std::string::npos);
  EXPECT_EQ(Trained(bins), Trained(BinsOf(false))) << "after a failure";
}

}  // namespace
}  // namespace kauri::testing
