/// Rows in device memory that are shuffled, and permutations made there, through the C ABI.
#include <vector>

#include "c_api/support.h"
#include "common/shuffle/shuffle.h"
#include "cuda/common/buffer.h"
#include "kauri/array_interface.h"
#include "support/device_fixture.h"

namespace kauri::testing {
namespace {

std::string Text(void const* address, char const* typestr, std::string const& shape, std::string const& more = "") {
  return R"({"data": [)" + std::to_string(reinterpret_cast<std::uintptr_t>(address)) + R"(, false], "typestr": ")" +
         typestr + R"(", "shape": )" + shape + more + R"(, "version": 2})";
}

class DeviceShuffle : public DeviceTest {
 protected:
  template <typename T>
  cuda::Buffer<T> Upload(std::vector<T> const& values) {
    auto buffer = cuda::ToDevice(Cuda(), values);
    Cuda().Synchronize();  // for the values: texts of version 2 name no stream
    return buffer;
  }
  static std::string Refusal(std::string const& in, std::string const& out, int kind) {
    EXPECT_EQ(KauriShuffleRows(in.c_str(), out.c_str(), 1), -1);
    EXPECT_EQ(KauriGetLastErrorKind(), kind);
    return XGBGetLastError();
  }
};

TEST_F(DeviceShuffle, RowsAreTheHosts) {
  auto const rows = Features(5000, 3);
  std::vector<float> expected(rows.size());
  ASSERT_OK(KauriShuffleRows(Table(rows, 3).c_str(), Table(expected, 3).c_str(), 8));
  auto const from = Upload(rows);
  auto const to = Upload(std::vector<float>(rows.size()));
  auto const in = Text(from.data(), "<f4", "[5000, 3]");
  ASSERT_OK(KauriShuffleRows(in.c_str(), Text(to.data(), "<f4", "[5000, 3]").c_str(), 8));
  EXPECT_TRUE(SameFloats(Fetch(Cuda(), to), expected));
  EXPECT_TRUE(SameFloats(Fetch(Cuda(), from), rows)) << "what is read stays";
  // Shuffles one column into a vector.
  std::vector<float> column(5000);
  for (std::size_t row = 0; row < 5000; ++row) column[row] = expected[3 * row + 1];
  ASSERT_OK(KauriShuffleRows(Text(from.data() + 1, "<f4", "[5000]", R"(, "strides": [12])").c_str(),
                             Text(to.data(), "<f4", "[5000]").c_str(), 8));
  EXPECT_TRUE(SameFloats(cuda::ToHost(Cuda(), to.data(), 5000), column));
}

TEST_F(DeviceShuffle, RowsInPlaceAreTheHosts) {
  auto expected = Features(5000, 3);
  auto const rows = Upload(expected);
  ASSERT_OK(KauriShuffleRows(Table(expected, 3).c_str(), Table(expected, 3).c_str(), 8));
  auto const text = Text(rows.data(), "<f4", "[5000, 3]");
  ASSERT_OK(KauriShuffleRows(text.c_str(), text.c_str(), 8));
  EXPECT_TRUE(SameFloats(Fetch(Cuda(), rows), expected));
}

TEST_F(DeviceShuffle, ListsAreTheHosts) {
  for (bst_ulong const n : {0, 1, 1000, 100003}) {
    KauriDeviceArrayHandle list = nullptr;
    ASSERT_OK(KauriShuffleOnDevice(n, 4, n, "cuda", &list));
    std::vector<std::int64_t> found(n);
    ASSERT_OK(KauriDeviceArrayToHost(list, found.data()));
    std::vector<bst_ulong> expected(n);
    ASSERT_OK(KauriShuffle(n, 4, n, expected.data()));
    EXPECT_EQ(found, std::vector<std::int64_t>(expected.begin(), expected.end()));
    char const* text = nullptr;
    ASSERT_OK(KauriDeviceArrayDescribe(list, &text));
    auto const array = ParseDeviceArrayInterface(text);
    EXPECT_EQ(array.view.shape[0], static_cast<std::int64_t>(n));
    EXPECT_EQ(array.view.dtype, DType::kI64);
    if (n > 0) {
      auto const* there = static_cast<std::int64_t const*>(array.view.data);
      EXPECT_EQ(cuda::ToHost(Cuda(), there, n), found);
    }
    ASSERT_OK(KauriDeviceArrayFree(list));
  }
}

TEST_F(DeviceShuffle, Refusals) {
  auto const rows = Upload(Features(10, 3));
  auto const host = Features(10, 3);
  auto const good = Text(rows.data(), "<f4", "[10, 3]");
  EXPECT_NE(Refusal(good, Table(host, 3), KAURI_ERROR_DATA).find("in is in device memory, out is in host memory"),
            std::string::npos);
  EXPECT_NE(Refusal(Table(host, 3), good, KAURI_ERROR_DATA).find("out is in device memory, in is in host memory"),
            std::string::npos);
  EXPECT_NE(Refusal(Text(rows.data(), "<f4", "[9, 3]"), Text(rows.data() + 3, "<f4", "[9, 3]"), KAURI_ERROR_DATA)
                .find("in and out overlap"),
            std::string::npos);
  auto const by_column = Text(rows.data(), "<f4", "[10, 3]", R"(, "strides": [4, 40])");
  EXPECT_NE(Refusal(by_column, good, KAURI_ERROR_DATA).find("in has elements of a row 40 bytes apart"),
            std::string::npos);
  KauriDeviceArrayHandle list = nullptr;
  EXPECT_EQ(KauriShuffleOnDevice(10, 0, 10, "cuda:99", &list), -1);
  EXPECT_EQ(KauriGetLastErrorKind(), KAURI_ERROR_DEVICE);
}

}  // namespace
}  // namespace kauri::testing
