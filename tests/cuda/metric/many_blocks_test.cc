/// Means over more blocks of rows than there are threads in the block that adds their sums.
#include "common/sums.h"
#include "cuda/metric/device_metric.h"
#include "kauri/metric.h"
#include "support/device_fixture.h"

namespace kauri::testing {
namespace {

class ManyBlocksTest : public DeviceTest {};

TEST_F(ManyBlocksTest, MeansHaveTheHostsBits) {
  for (auto const n_rows : {256 * kRowBlock, 256 * kRowBlock + 1, 600 * kRowBlock + 5}) {
    auto const n = static_cast<std::size_t>(n_rows);
    MetaInfo info;
    info.n_rows = n_rows;
    info.labels = UniformValues(n, 0.0F, 1.0F, 61);
    info.weights = UniformValues(n, 0.0F, 2.0F, 62);
    auto const predictions = UniformValues(n, 0.0F, 1.0F, 63);
    auto const device_labels = cuda::ToDevice(Cuda(), info.labels);
    auto const device_weights = cuda::ToDevice(Cuda(), info.weights);
    auto const device_predictions = cuda::ToDevice(Cuda(), predictions);
    for (auto const* name : {"rmse", "logloss"}) {
      auto const metric = GetRegistries().metrics.Find(name).make("", {});
      auto const before = cuda::ThreadCopyCounts();
      auto const value = cuda::MakeDeviceMetric(*metric)->Evaluate(
          Cuda(), device_predictions.span(), {n_rows, 1, device_labels.span(), device_weights.span()});
      EXPECT_EQ(value, metric->Evaluate(Context{}, predictions, info)) << name << ", " << n_rows << " rows";
      EXPECT_LE((cuda::ThreadCopyCounts() - before).to_host_bytes, 16U);
    }
  }
}

}  // namespace
}  // namespace kauri::testing
