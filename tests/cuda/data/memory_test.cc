/// Arrays in device memory as rows: the host's conversions, and the errors.
#include <cmath>
#include <cstring>

#include "cuda/common/pinned_buffer.h"
#include "cuda/data/cuda_memory.h"
#include "cuda/hist/bins/make_device_bins.h"
#include "data/arrays/array_dispatch.h"
#include "support/device_fixture.h"
#include "support/need.h"

namespace kauri::testing {
namespace {

constexpr DType kAllTypes[] = {DType::kF16, DType::kF32, DType::kF64, DType::kI8,  DType::kI16, DType::kI32,
                               DType::kI64, DType::kU8,  DType::kU16, DType::kU32, DType::kU64, DType::kBool};

/// A table of [n_rows, n_cols] elements, with the same bytes on both sides.
struct Table {
  std::vector<char> bytes;
  cuda::Buffer<char> on_device;
  ArrayView host;
  DeviceArray device;
};

class CudaMemoryTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (!IsSkipped()) memory_ = cuda::MakeCudaMemory(cuda::KeepBins);
  }

  /// Returns a table of random bytes, which are finite as floating-point numbers. layout: 'C' rows, 'F' columns, 'S'
  /// with gaps.
  Table MakeTable(DType dtype, std::int64_t n_rows, std::int64_t n_cols, char layout) {
    auto const item = ItemSize(dtype);
    Table table;
    table.bytes.resize(4 * n_rows * n_cols * item);
    Random random(static_cast<std::uint64_t>(dtype) + 5);
    for (auto& byte : table.bytes) byte = static_cast<char>(random.Below(256));
    if (dtype == DType::kF16) {
      for (std::size_t i = 1; i < table.bytes.size(); i += 2) table.bytes[i] = static_cast<char>(table.bytes[i] & 0xBF);
    }
    if (dtype == DType::kF32 || dtype == DType::kF64) {
      auto const last = static_cast<std::size_t>(item) - 1;  // an exponent that float32 has
      for (std::size_t i = last; i < table.bytes.size(); i += last + 1)
        table.bytes[i] = static_cast<char>(0x3F | (table.bytes[i] & 0x80));
      for (std::size_t i = last - 1; i < table.bytes.size() && dtype == DType::kF64; i += last + 1)
        table.bytes[i] = static_cast<char>(table.bytes[i] | 0x40);
    }
    table.host.data = table.bytes.data();
    table.host.dtype = dtype;
    table.host.n_dims = 2;
    table.host.shape = {n_rows, n_cols};
    table.host.strides = {item * n_cols, item};
    if (layout == 'F') table.host.strides = {item, item * n_rows};
    if (layout == 'S') table.host.strides = {2 * item * n_cols, 2 * item};
    table.on_device = cuda::ToDevice(Cuda(), table.bytes);
    Cuda().Synchronize();  // for the bytes: the arrays below name no stream
    table.device.view = table.host;
    table.device.view.data = table.on_device.data();
    table.device.stream = DeviceArray::kReady;
    return table;
  }

  static std::vector<float> OnHost(ArrayView const& view, float missing) {
    std::vector<float> values;
    for (std::int64_t row = 0; row < view.shape[0]; ++row) {
      for (std::int64_t col = 0; col < view.shape[1]; ++col) {
        auto const value = DispatchDType(view.dtype, [&](auto tag) {
          return static_cast<float>(LoadElement<decltype(tag)>(ElementAddress(view, row, col)));
        });
        values.push_back(value == missing ? std::nanf("") : value);
      }
    }
    return values;
  }
  static std::int64_t CountPresent(std::vector<float> const& values) {
    return std::count_if(values.begin(), values.end(), [](float value) { return !std::isnan(value); });
  }

  std::unique_ptr<DeviceMemory> memory_;
};

TEST_F(CudaMemoryTest, EveryTypeAndLayout) {
  for (auto const dtype : kAllTypes) {
    for (char const layout : {'C', 'F', 'S'}) {
      for (std::int64_t const n_rows : {1, 33, 700}) {
        SCOPED_TRACE("type " + std::to_string(static_cast<int>(dtype)) + ", layout " + layout);
        auto const table = MakeTable(dtype, n_rows, 5, layout);
        for (float const missing : {std::nanf(""), 1.0F}) {
          auto const expected = OnHost(table.host, missing);
          for (auto const& made : {memory_->Copy({table.device}, missing), memory_->Borrow({table.device}, missing)}) {
            EXPECT_TRUE(SameFloats(made->Host().values, expected));
            EXPECT_EQ(made->Layout().n_entries, CountPresent(expected));
          }
        }
        auto const copy = memory_->ToHost(table.device);
        for (std::int64_t row = 0; row < n_rows; ++row) {
          for (std::int64_t col = 0; col < 5; ++col) {
            ASSERT_EQ(std::memcmp(ElementAddress(copy.view, row, col), ElementAddress(table.host, row, col),
                                  static_cast<std::size_t>(ItemSize(dtype))),
                      0);
          }
        }
      }
    }
  }
}

TEST_F(CudaMemoryTest, BorrowsWhatItCan) {
  auto const table = MakeTable(DType::kF32, 100, 3, 'S');
  auto const rows = memory_->Borrow({table.device}, std::nanf(""));
  EXPECT_EQ(rows->Layout().values, table.device.view.data);
  EXPECT_EQ(rows->Layout().row_stride, 6);
  EXPECT_EQ(rows->Layout().col_stride, 2);
  EXPECT_NE(memory_->Borrow({table.device}, 1.0F)->Layout().values, table.device.view.data);
  EXPECT_NE(memory_->Copy({table.device}, std::nanf(""))->Layout().values, table.device.view.data);
}

TEST_F(CudaMemoryTest, ColumnsOfSeveralTypes) {
  std::vector<Table> tables;
  std::vector<DeviceArray> arrays;
  std::vector<float> expected(300 * 12);
  std::size_t col = 0;
  for (auto const dtype : kAllTypes) {
    tables.push_back(MakeTable(dtype, 300, 1, 'S'));
    arrays.push_back(tables.back().device);
    auto const values = OnHost(tables.back().host, std::nanf(""));
    for (std::size_t row = 0; row < 300; ++row) expected[row * 12 + col] = values[row];
    ++col;
  }
  EXPECT_TRUE(SameFloats(memory_->Copy(arrays, std::nanf(""))->Host().values, expected));
}

TEST_F(CudaMemoryTest, WaitsForTheStream) {
  auto const n = std::size_t{1} << 24;
  cuda::PinnedBuffer<float> pinned;
  pinned.Reserve(n);
  std::fill_n(pinned.data(), n, 2.5F);
  cuda::StreamOwner const producer(0);
  for (int repeat = 0; repeat < 3; ++repeat) {
    cuda::Buffer<float> buffer(producer.Context(), n);
    cuda::FillZero(producer.Context(), buffer.data(), n);
    cuda::CopyToDevice(producer.Context(), pinned.data(), n, buffer.data());
    DeviceArray array;
    array.view.data = buffer.data();
    array.view.shape = {static_cast<std::int64_t>(n / 4), 4};
    array.view.strides = {16, 4};
    array.stream = reinterpret_cast<std::uintptr_t>(producer.Context().stream);
    auto const values = memory_->Copy({array}, std::nanf(""))->Host().values;
    EXPECT_EQ(std::count(values.begin(), values.end(), 2.5F), static_cast<std::ptrdiff_t>(n));
  }
  auto table = MakeTable(DType::kF32, 10, 2, 'C');
  for (std::uint64_t const stream : {1U, 2U}) {  // the default streams
    table.device.stream = stream;
    EXPECT_TRUE(
        SameFloats(memory_->Copy({table.device}, std::nanf(""))->Host().values, OnHost(table.host, std::nanf(""))));
  }
}

TEST_F(CudaMemoryTest, Empty) {
  DeviceArray array;
  array.view.shape = {0, 5};
  auto const rows = memory_->Copy({array}, 0.0F);
  EXPECT_EQ(rows->Layout().n_rows, 0);
  EXPECT_EQ(rows->Layout().n_cols, 5);
  EXPECT_TRUE(rows->Host().values.empty());
  EXPECT_EQ(memory_->ToHost(array).view.Size(), 0);
  EXPECT_TRUE(memory_->ToDevice({}, 0)->ToHost().empty());
}

TEST_F(CudaMemoryTest, RoundTrip) {
  auto const values = UniformValues(1000, -1.0F, 1.0F, 3);
  auto const floats = memory_->ToDevice(values, 0);
  EXPECT_EQ(floats->Size(), 1000);
  EXPECT_TRUE(SameFloats(floats->ToHost(), values));
  EXPECT_TRUE(memory_->Holds(floats->Data()));
  EXPECT_FALSE(memory_->Holds(values.data()));
}

TEST_F(CudaMemoryTest, RefusesInfinities) {
  auto values = UniformValues(300, -1.0F, 1.0F, 4);
  values[137] = -std::numeric_limits<float>::infinity();
  values[250] = std::numeric_limits<float>::infinity();
  auto const buffer = cuda::ToDevice(Cuda(), values);
  Cuda().Synchronize();  // for the buffer
  DeviceArray array;
  array.view.data = buffer.data();
  array.view.shape = {100, 3};
  array.view.strides = {12, 4};
  for (bool const copies : {true, false}) {
    auto const message = MessageOf(ErrorKind::kData, [&] {
      copies ? memory_->Copy({array}, std::nanf("")) : memory_->Borrow({array}, std::nanf(""));
    });
    EXPECT_NE(message.find("row 45, column 2 is -inf"), std::string::npos) << message;
  }
  auto const message = MessageOf(ErrorKind::kData, [&] { memory_->Copy({array}, values[137]); });
  EXPECT_NE(message.find("row 83, column 1 is inf"), std::string::npos) << message;
}

TEST_F(CudaMemoryTest, RefusesWhatIsNotThere) {
  auto table = MakeTable(DType::kF64, 10, 2, 'C');
  auto const refusal = [&](DeviceArray const& array) {
    return MessageOf(ErrorKind::kData, [&] { memory_->Copy({array}, std::nanf("")); });
  };
  auto array = table.device;
  array.view.data = table.bytes.data();
  EXPECT_NE(refusal(array).find("is in host memory"), std::string::npos);
  array = table.device;
  array.view.data = table.on_device.data() + 4;
  EXPECT_NE(refusal(array).find("not aligned to its elements of 8 bytes"), std::string::npos);
  array = table.device;
  array.view.shape[0] = std::int64_t{1} << 40;
  EXPECT_NE(refusal(array).find("reaches out of the device's memory"), std::string::npos);
}

TEST_F(CudaMemoryTest, SeveralDevices) {
  int n_devices = 0;
  ASSERT_EQ(cudaGetDeviceCount(&n_devices), cudaSuccess);
  KAURI_SKIP_UNLESS(n_devices >= 2, "one CUDA device");
  auto const values = UniformValues(100, 0.0F, 1.0F, 5);
  auto const first = memory_->ToDevice(values, 0);
  auto const second = memory_->ToDevice(values, 1);
  DeviceArray array;
  array.view.data = first->Data();
  array.view.shape = {100, 1};
  array.view.strides = {4, 4};
  auto other = array;
  other.view.data = second->Data();
  auto const rows = memory_->Copy({other}, std::nanf(""));
  EXPECT_EQ(rows->Layout().device, 1);
  EXPECT_TRUE(SameFloats(rows->Host().values, values));
  auto const message = MessageOf(ErrorKind::kData, [&] { memory_->Copy({array, other}, std::nanf("")); });
  EXPECT_NE(message.find("column 1 is on cuda:1, column 0 on cuda:0"), std::string::npos) << message;
  EXPECT_NE(MessageOf(ErrorKind::kDevice, [&] { cuda::LayoutOn(Cuda(), *rows); }).find("set device=cuda:1"),
            std::string::npos);
}

}  // namespace
}  // namespace kauri::testing
