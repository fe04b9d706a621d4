/// Histograms of a gradient table's rows on the device against sums row by row.
#include <numeric>

#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist_vector/add_table_rows.h"
#include "support/device_fixture.h"
#include "tree/hist_vector/naive_vector_tree.h"

namespace kauri::testing {
namespace {

struct RowsSpec {
  MatrixSpec matrix;
  int max_bin = 256;
  std::int64_t n_outputs = 3;
  bool same_hessians = false;
};

/// Returns nodes that hold consecutive runs of a list's rows.
std::vector<cuda::RowStretch> CutList(std::uint32_t n_rows, std::vector<std::uint32_t> const& sizes) {
  std::vector<cuda::RowStretch> stretches;
  std::uint32_t begin = 0;
  for (auto const size : sizes) {
    auto const count = std::min(size, n_rows - begin);
    stretches.push_back({begin, count, 0});
    begin += count;
  }
  return stretches;
}

class TableRowsOnDevice : public DeviceTest {
 protected:
  void Expect(RowsSpec const& spec, std::vector<std::uint32_t> const& sizes) const {
    Context ctx;
    auto const n_rows = spec.matrix.n_rows;
    auto const data = MakeMatrix(spec.matrix);
    auto const bins = std::make_shared<BinMatrix const>(ctx, *data, MakeQuantileCuts(ctx, *data, spec.max_bin));
    auto const on_device = cuda::UploadBins(Cuda(), bins);
    VectorJob job;
    job.job.values = MakeValues(spec.matrix);
    job.job.n_cols = spec.matrix.n_cols;
    job.n_outputs = spec.n_outputs;
    job.pairs = MakePairs(n_rows, spec.n_outputs, spec.same_hessians, 7);
    PackedGradients const packed(job);
    auto table = packed.View();
    std::vector<std::uint32_t> list(ToSize(n_rows));
    std::iota(list.rbegin(), list.rend(), 0U);
    auto const stretches = sizes.empty() ? std::vector<cuda::RowStretch>{{0, static_cast<std::uint32_t>(n_rows), -1}}
                                         : CutList(static_cast<std::uint32_t>(n_rows), sizes);
    auto const sums = Add(*on_device, table, list, stretches);
    for (std::size_t node = 0; node < stretches.size(); ++node) {
      EXPECT_EQ(sums[node], Naive(*bins, *on_device, table, list, stretches[node])) << "node " << node;
    }
  }

 private:
  using Sums = std::vector<std::int64_t>;

  static std::int64_t NumSums(GradientTableView const& table) { return table.NumOutputs() + table.n_hessians; }

  std::vector<Sums> Add(cuda::DeviceBins const& bins, GradientTableView const& table,
                        std::vector<std::uint32_t> const& list, std::vector<cuda::RowStretch> const& stretches) const {
    auto const n = bins.n_cells * ToSize(NumSums(table));
    cuda::Buffer<std::int64_t> sums(Cuda(), n * stretches.size());
    cuda::FillZero(Cuda(), sums.data(), sums.size());
    cuda::Buffer<std::int32_t> values(Cuda(), table.values.size());
    cuda::CopyToDevice(Cuda(), table.values.data(), values.size(), values.data());
    auto on_device = table;
    on_device.values = values.span();
    auto const rows = cuda::ToDevice(Cuda(), list);
    std::vector<cuda::SummedNode> nodes;
    for (auto const& stretch : stretches) nodes.push_back({{stretch, -1, 0}, sums.data() + n * nodes.size()});
    auto const device_nodes = cuda::ToDevice(Cuda(), nodes);
    cuda::Buffer<cuda::LaidRows> plan(Cuda(), nodes.size());
    cuda::SumTask task{};
    task.nodes = device_nodes.span();
    task.plan = plan.span();
    task.lists = {rows.data(), nullptr};
    task.table = cuda::TableOf(on_device);
    task.most_rows = static_cast<std::int64_t>(list.size());
    cuda::AddTableRows(Cuda(), bins, task);
    std::vector<Sums> of_nodes;
    for (std::size_t node = 0; node < nodes.size(); ++node) {
      of_nodes.push_back(cuda::ToHost(Cuda(), sums.data() + node * n, n));
    }
    return of_nodes;
  }

  static Sums Naive(BinMatrix const& bins, cuda::DeviceBins const& layout, GradientTableView const& table,
                    std::vector<std::uint32_t> const& list, cuda::RowStretch const& stretch) {
    Sums sums(layout.n_cells * ToSize(NumSums(table)), 0);
    for (auto i = stretch.begin; i < stretch.begin + stretch.count; ++i) {
      std::int64_t const row = stretch.buffer < 0 ? i : list[i];
      for (std::size_t feature = 0; feature < layout.features.size(); ++feature) {
        auto const& codes = layout.features[feature];
        auto const code = bins.FindCode(row, feature);
        if (code == kNoCode || (codes.most_frequent != kNoMostFrequent && code == codes.most_frequent)) continue;
        for (std::int64_t place = 0; place < NumSums(table); ++place) {
          sums[(codes.first_cell + code) * ToSize(NumSums(table)) + ToSize(place)] +=
              table.values[row * table.stride + place];
        }
      }
    }
    return sums;
  }
};

TEST_F(TableRowsOnDevice, Bytes) {
  std::uint64_t seed = 0;
  for (std::int64_t const n_cols : {2, 6, 12, 32, 40}) {
    for (int const max_bin : {2, 60, 120, 255}) {
      ++seed;
      RowsSpec spec{{600, n_cols, seed % 2 == 0 ? 0.1 : 0.0, 0, false, seed}, max_bin, 2, seed % 3 == 0};
      spec.n_outputs = 2 + static_cast<std::int64_t>(seed % 7);
      Expect(spec, {});
      Expect(spec, {10, 0, 33, 257, 1, 0, 64});
    }
  }
}

TEST_F(TableRowsOnDevice, WordsAndCells) {
  for (std::int64_t const n_outputs : {2, 3, 31, 33}) {
    for (bool const sparse : {false, true}) {
      RowsSpec const spec{{1500, 5, sparse ? 0.7 : 0.1, 0, sparse, 3}, 1000, n_outputs, n_outputs == 31};
      Expect(spec, {});
      Expect(spec, {100, 1, 0, 500});
    }
  }
}

/// More rows than the limbs of sums in shared memory can hold.
TEST_F(TableRowsOnDevice, ManyRowsOfOneCode) {
  RowsSpec spec;
  spec.matrix = {400000, 1, 0.0, 2, false, 5};
  Expect(spec, {});
  Expect(spec, {300000, 70000});
}

}  // namespace
}  // namespace kauri::testing
