/// Rows in device memory: the models are the same as with these rows in host memory, on the CPU and on the device.
#include "cuda/data/cuda_memory.h"
#include "cuda/hist/bins/make_device_bins.h"
#include "hist/hist_fixture.h"

namespace kauri::testing {
namespace {

class HistDeviceRows : public HistDeviceTest {
 protected:
  /// Returns the rows of a table in device memory, with its labels.
  std::shared_ptr<DataMatrix> Upload(HistCase const& given) {
    auto const values = MakeTableValues(given.table);
    auto const buffer = cuda::ToDevice(Cuda(), values);
    Cuda().Synchronize();  // for the buffer: the copy below is on another stream
    DeviceArray array;
    array.stream = DeviceArray::kReady;
    array.view.data = buffer.data();
    array.view.shape = {given.table.n_rows, given.table.n_cols};
    array.view.strides = {4 * given.table.n_cols, 4};
    array.view.n_dims = 2;
    std::shared_ptr<DataMatrix> data =
        DataMatrix::FromDevice(cuda::MakeCudaMemory(cuda::KeepBins)->Copy({array}, std::nanf("")));
    SetInfo(given.table, KindOf(given), values, data->MutableInfo());
    return data;
  }
};

TEST_F(HistDeviceRows, HaveTheModelOfHostRows) {
  for (auto const* max_bin : {"16", "256", "1024"}) {
    for (std::int64_t const n_cols : {1, 5, 8, 32, 33, 70}) {
      for (auto const missing : {Missing::kNone, Missing::kSome, Missing::kColumn, Missing::kMixed}) {
        HistCase given;
        given.table.n_rows = 1100;
        given.table.n_cols = n_cols;
        given.table.missing = missing;
        given.table.weights = n_cols % 2 == 0;
        given.params = {{"max_bin", max_bin}};
        auto const cpu = TrainOn("cpu", given);
        EXPECT_EQ(cpu.error, "");
        EXPECT_TRUE(SameOutcome(cpu, TrainOn(kDevice, given, Upload(given)))) << Text(given);
      }
    }
  }
}

TEST_F(HistDeviceRows, OfFlagsCategoriesAndFewValues) {
  std::vector<HistCase> cases(3);
  cases[0].table.values = Values::kFlags;
  cases[0].table.n_cols = 40;
  cases[1].table.n_cols = 5;
  cases[1].table.levels = {3, 50, 300};
  cases[2].table.values = Values::kFew;
  for (auto& given : cases) {
    given.table.missing = Missing::kSome;
    auto const cpu = TrainOn("cpu", given);
    EXPECT_EQ(cpu.error, "");
    EXPECT_TRUE(SameOutcome(cpu, TrainOn(kDevice, given, Upload(given)))) << Text(given);
    EXPECT_TRUE(SameOutcome(cpu, TrainOn("cpu", given, Upload(given)))) << Text(given);
  }
}

}  // namespace
}  // namespace kauri::testing
