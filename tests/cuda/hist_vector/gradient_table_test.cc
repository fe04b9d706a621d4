/// The gradient table made on the device against the host's, and leaf vectors in margins.
#include "engine/gradient_table.h"

#include "cuda/engine/device_gradient_table.h"
#include "cuda/engine/round_kernels.h"
#include "cuda/hist_vector/device_table.h"
#include "support/device_fixture.h"
#include "tree/hist_vector/naive_vector_tree.h"
#include "tree/sampling/sampling.h"

namespace kauri::testing {
namespace {

class GradientTableOnDevice : public DeviceTest {
 protected:
  cuda::Buffer<GradientPair> Send(std::vector<GradientPair> const& pairs) const {
    return cuda::ToDevice(Cuda(), pairs);
  }
  void ExpectSame(GradientTableView const& a, GradientTableView const& b) const {
    auto const values = cuda::ToHost(Cuda(), a.values.data(), a.values.size());
    EXPECT_EQ(values, std::vector<std::int32_t>(b.values.begin(), b.values.end()));
    EXPECT_EQ(a.n_hessians, b.n_hessians);
    EXPECT_EQ(a.stride, b.stride);
    ASSERT_EQ(a.units.size(), b.units.size());
    for (std::int64_t output = 0; output < a.NumOutputs(); ++output) {
      EXPECT_EQ(a.units[output].gradient, b.units[output].gradient);
      EXPECT_EQ(a.units[output].hessian, b.units[output].hessian);
    }
  }
};

TEST_F(GradientTableOnDevice, EqualsTheHosts) {
  cuda::DeviceGradientTable table;
  std::uint64_t seed = 0;
  for (std::int64_t const n_rows : {1, 2, 255, 1000, 20000}) {
    for (std::int64_t const n_outputs : {2, 3, 7, 20, 300}) {
      if (n_rows * n_outputs > 100000) continue;
      ++seed;
      auto const pairs = MakePairs(n_rows, n_outputs, seed % 2 == 0, seed);
      auto const rate = seed % 3 == 0 ? 0.6F : 1.0F;
      Context ctx;
      auto const sampled = SampleRows(ctx, 3, 1, rate, n_rows);
      GradientTable expected;
      expected.Quantise(ctx, pairs, n_outputs, sampled);
      auto const on_device = Send(pairs);
      cuda::Buffer<std::uint8_t> used(Cuda(), sampled.size());
      table.Quantise(Cuda(), {on_device.span(), n_outputs}, {RowSamplingKey(ctx.seed, 3, 1), rate}, used.span());
      ExpectSame(table.View(), expected.View());
      EXPECT_EQ(Fetch(Cuda(), used), sampled);
    }
  }
}

TEST_F(GradientTableOnDevice, ACopyIsTheTable) {
  GradientTable table;
  table.Quantise(Context{}, MakePairs(500, 3, false, 1), 3, {});
  cuda::DeviceGradientTable copy;
  copy.Upload(Cuda(), table.View());
  ExpectSame(copy.View(), table.View());
}

TEST_F(GradientTableOnDevice, SumsAreThoseOfAllRows) {
  for (std::int64_t const n_outputs : {2, 5, 40}) {
    GradientTable table;
    table.Quantise(Context{}, MakePairs(3000, n_outputs, n_outputs == 5, 9), n_outputs, {});
    auto const view = table.View();
    std::vector<std::int64_t> expected(ToSize(n_outputs + view.n_hessians), 0);
    for (std::int64_t row = 0; row < 3000; ++row) {
      for (std::size_t place = 0; place < expected.size(); ++place) {
        expected[place] += view.values[row * view.stride + static_cast<std::int64_t>(place)];
      }
    }
    cuda::DeviceGradientTable copy;
    copy.Upload(Cuda(), view);
    EXPECT_EQ(cuda::SumTableRows(Cuda(), cuda::TableOf(copy.View()), 3000), expected);
  }
}

TEST_F(GradientTableOnDevice, TheFirstRowThatIsNotFiniteIsNamed) {
  auto pairs = MakePairs(1000, 3, false, 2);
  pairs[3 * 700 + 1].gradient = std::numeric_limits<float>::infinity();
  pairs[3 * 412 + 2].hessian = std::nanf("");
  pairs[3 * 412 + 1].hessian = 77.0F;
  auto const on_device = Send(pairs);
  cuda::DeviceGradientTable table;
  ExpectParts(MessageOf(ErrorKind::kData,
                        [&] {
                          table.Quantise(Cuda(), {on_device.span(), 3}, {}, {});
                        }),
              {"row 412", "nan"});
}

TEST_F(GradientTableOnDevice, LeafVectorsAreAdded) {
  constexpr std::int64_t kOutputs = 3;
  std::vector<float> const leaf_vectors{0.0F, 0.0F, 0.0F, 1.0F, 2.0F, 3.0F, -0.5F, 0.25F, 8.0F};
  std::vector<std::int32_t> leaf_of_row;
  std::vector<float> margins;
  std::vector<float> expected;
  for (std::int32_t row = 0; row < 777; ++row) {
    leaf_of_row.push_back(1 + row % 2);
    for (std::int64_t output = 0; output < kOutputs; ++output) {
      margins.push_back(static_cast<float>(row) * 0.1F);
      expected.push_back(margins.back() + leaf_vectors[leaf_of_row.back() * kOutputs + output]);
    }
  }
  auto const on_device = cuda::ToDevice(Cuda(), margins);
  cuda::AddLeafVectors(Cuda(), cuda::ToDevice(Cuda(), leaf_vectors).span(), cuda::ToDevice(Cuda(), leaf_of_row).span(),
                       kOutputs, on_device.span());
  EXPECT_TRUE(SameFloats(Fetch(Cuda(), on_device), expected));
}

}  // namespace
}  // namespace kauri::testing
