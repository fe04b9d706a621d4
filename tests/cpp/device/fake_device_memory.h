/// \file Host memory standing in for a device's: tests the core's handling of device arrays on any machine.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "data/arrays/array_dispatch.h"
#include "data/arrays/row_move.h"
#include "data/bins/bin_store.h"
#include "data/matrix_view.h"
#include "kauri/device_memory.h"

namespace kauri::testing {

/// Calls of the fake, counted over all objects.
struct DeviceLog {
  std::atomic<int> copies_to_host{0};
  std::atomic<int> borrowed{0};
  std::atomic<int> binned{0};
  std::atomic<int> codes_to_host{0};
  std::atomic<int> fetched_later{0};
  std::atomic<int> live_results{0};
  std::atomic<std::uint64_t> last_stream{0};
};
inline DeviceLog& TheLog() {
  static DeviceLog log;
  return log;
}

class FakeFloats : public DeviceFloats {
 public:
  explicit FakeFloats(std::vector<float> values) : values_(std::move(values)) { ++TheLog().live_results; }
  ~FakeFloats() override { --TheLog().live_results; }
  float const* Data() const override { return values_.data(); }
  std::int64_t Size() const override { return static_cast<std::int64_t>(values_.size()); }
  std::vector<float> ToHost() const override { return values_; }

 private:
  std::vector<float> values_;
};

class FakeStorage : public DeviceStorage {
 public:
  FakeStorage(DeviceLayout layout, std::vector<float> values) : DeviceStorage(layout), values_(std::move(values)) {}

 private:
  FloatVector CopyToHost() const override {
    ++TheLog().copies_to_host;
    return {values_.begin(), values_.end()};
  }
  std::vector<float> values_;
};

/// Codes computed by the host.
class FakeCodes : public CodesOnDevice {
 public:
  explicit FakeCodes(std::shared_ptr<BinMatrix> bins) : bins_(std::move(bins)) {}
  void CopyTo(BinMatrix* to) const override {
    ++TheLog().codes_to_host;
    auto const codes = bins_->MutableCodes();
    std::copy(codes.begin(), codes.end(), to->MutableCodes().begin());
  }

 private:
  std::shared_ptr<BinMatrix> bins_;
};

class FakeDeviceMemory : public DeviceMemory {
 public:
  bool Holds(void const*) const override { return false; }

  std::unique_ptr<DeviceStorage> Copy(std::vector<DeviceArray> const& arrays, float missing) const override {
    DeviceLayout layout;
    layout.n_rows = arrays.at(0).view.shape[0];
    for (auto const& array : arrays) layout.n_cols += array.view.shape[1];
    layout.row_stride = layout.n_cols;
    std::vector<float> values;
    for (std::int64_t row = 0; row < layout.n_rows; ++row) {
      for (auto const& array : arrays) {
        TheLog().last_stream = array.stream;
        for (std::int64_t col = 0; col < array.view.shape[1]; ++col) {
          auto const value = static_cast<float>(ElementAsDouble(array.view, row, col));
          values.push_back(value == missing ? std::numeric_limits<float>::quiet_NaN() : value);
          layout.n_entries += std::isnan(values.back()) ? 0 : 1;
        }
      }
    }
    return std::make_unique<FakeStorage>(layout, std::move(values));
  }

  std::unique_ptr<DeviceStorage> Borrow(std::vector<DeviceArray> const& arrays, float missing) const override {
    ++TheLog().borrowed;
    return Copy(arrays, missing);
  }

  HostArray ToHost(DeviceArray const& array) const override {
    HostArray copy;
    copy.view = array.view;
    copy.view.dtype = DType::kF64;
    copy.bytes.reset(new char[8 * static_cast<std::size_t>(array.view.Size())]);
    auto* to = copy.bytes.get();
    for (std::int64_t row = 0; row < array.view.shape[0]; ++row) {
      for (std::int64_t col = 0; col < array.view.shape[1]; ++col) {
        auto const value = ElementAsDouble(array.view, row, col);
        std::memcpy(to, &value, sizeof(value));
        to += sizeof(value);
      }
    }
    copy.view.data = copy.bytes.get();
    copy.view.strides = {8 * array.view.shape[1], 8};
    return copy;
  }

  /// Copies in two parts, in the array's type.
  ArrivingArray ToHostLater(DeviceArray const& array) const override {
    auto const all = std::make_shared<std::vector<char>>();
    auto const item = ItemSize(array.view.dtype);
    for (std::int64_t row = 0; row < array.view.shape[0]; ++row) {
      for (std::int64_t col = 0; col < array.view.shape[1]; ++col) {
        auto const* const at = static_cast<char const*>(ElementAddress(array.view, row, col));
        all->insert(all->end(), at, at + item);
      }
    }
    auto view = array.view;
    view.data = nullptr;
    view.strides = {item * view.shape[1], item};
    return {view, [all, item](ArrivingArray::Take const& take) {
              ++TheLog().fetched_later;
              auto const first = all->size() / static_cast<std::size_t>(2 * item) * static_cast<std::size_t>(item);
              take(all->data(), first);
              take(all->data() + first, all->size() - first);
            }};
  }

  CodedRows MakeBins(Context const& ctx, DeviceBatches const& rows, BinRequest const& request) const override {
    ++TheLog().binned;
    std::vector<float> all;
    auto const take = [&](DeviceStorage const& batch) {
      all.insert(all.end(), batch.Host().values.begin(), batch.Host().values.end());
    };
    if (rows.only != nullptr) take(*rows.only);
    if (rows.for_each != nullptr) rows.for_each(take);
    if (rows.host_rows != nullptr) all.assign(rows.host_rows, rows.host_rows + rows.n_rows * rows.n_cols);
    DenseRows const values{all.data(), rows.n_rows, rows.n_cols};
    CodedRows coded;
    coded.features = MakeExactCuts(ctx, values, request.max_bin, request.weights);
    auto const is_infinite = [](float value) { return std::isinf(value); };
    if (std::any_of(all.begin(), all.end(), is_infinite)) return coded;
    BinShape shape;
    shape.n_rows = values.n_rows;
    for (auto const& feature : coded.features) shape.has_missing.push_back(feature.n_values < values.n_rows ? 1 : 0);
    auto cuts = request.given == nullptr ? JoinCuts(coded.features, {}) : *request.given;
    auto bins = std::make_shared<BinMatrix>(ctx, std::move(cuts), shape);
    bins->Append(ctx, *MakeRowsView(values.values, values.n_rows, values.n_cols));
    coded.codes = std::make_shared<FakeCodes const>(std::move(bins));
    return coded;
  }

  void ShuffleRows(DeviceArray const& from, DeviceArray const& to, std::uint64_t seed) const override {
    TheLog().last_stream = from.stream;
    auto const move = RowMoveOf(from.view, to.view);
    move.from == move.to ? ShuffleRowsInPlace({}, move, seed) : kauri::ShuffleRows({}, move, seed);
  }

  std::unique_ptr<DeviceNumbers> ListShuffle(std::int64_t, std::uint64_t, std::int64_t, int) const override {
    return nullptr;  // never reached: there is no such device
  }

  std::unique_ptr<DeviceFloats> ToDevice(Span<float const> values, int) const override {
    return std::make_unique<FakeFloats>(std::vector<float>(values.begin(), values.end()));
  }
};

}  // namespace kauri::testing
