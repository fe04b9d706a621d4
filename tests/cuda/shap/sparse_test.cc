/// Interactions without their matrices against the dense matrices of the same device: the same bits.
#include <cstring>

#include "cuda/shap/select_largest.h"
#include "shap_fixture.h"

namespace kauri::testing {
namespace {

/// Orders values by absolute value, larger first; places break ties.
bool IsLarger(float a, float b) { return std::abs(a) > std::abs(b); }

class GpuSparseTest : public GpuShapTest {
 protected:
  static SparseInteractions RunSparse(ParamMap const& method, Model const& model, DataView const& rows, TreeRange trees,
                                      std::int64_t top_k) {
    auto const start = Start(model);
    auto const gpu = MakeGpuPredictor(method);
    auto const compiled = gpu->Compile(OnDevice(), model, AllTrees(model));
    SparseInteractions out;
    out.values.assign(7, 5.0F);  // old contents are discarded
    gpu->PredictSparse(OnDevice(), *compiled, {rows, trees, {start, {}}}, top_k, &out);
    return out;
  }
  static SparseInteractions OnCpu(Model const& model, DataView const& rows, TreeRange trees, std::int64_t top_k) {
    auto const start = Start(model);
    auto const cpu = GetRegistries().predictors.Find("cpu_predictor").make({});
    auto const compiled = cpu->Compile({}, model, AllTrees(model));
    SparseInteractions out;
    cpu->PredictSparse({}, *compiled, {rows, trees, {start, {}}}, top_k, &out);
    return out;
  }
  static std::vector<float> Dense(ParamMap const& method, Model const& model, DataView const& rows, TreeRange trees) {
    auto const start = Start(model);
    return Run(method, model, rows, PredictKind::kInteraction, {start, {}}, trees);
  }

  /// Expects all cells to be the CPU's, with the bits of the dense matrix, whose upper triangle has no other numbers.
  static void ExpectAll(ParamMap const& method, Model const& model, DataView const& rows, TreeRange trees) {
    auto const sparse = RunSparse(method, model, rows, trees, 0);
    auto const expected = OnCpu(model, rows, trees, 0);
    ASSERT_EQ(sparse.begin, expected.begin);
    ASSERT_EQ(sparse.first, expected.first);
    ASSERT_EQ(sparse.second, expected.second);
    auto dense = Dense(method, model, rows, trees);
    auto const width = static_cast<std::size_t>(model.n_features) + 1;
    for (std::size_t line = 0; line + 1 < sparse.begin.size(); ++line) {
      auto* matrix = dense.data() + line * width * width;
      for (auto entry = sparse.begin[line]; entry < sparse.begin[line + 1]; ++entry) {
        auto const i = static_cast<std::size_t>(entry);
        auto* cell = matrix + sparse.first[i] * width + sparse.second[i];
        ASSERT_EQ(std::memcmp(cell, &sparse.values[i], sizeof(float)), 0) << *cell << " and " << sparse.values[i];
        *cell = 0.0F;
      }
      for (std::size_t a = 0; a < width; ++a) {
        for (auto b = a; b < width; ++b) ASSERT_EQ(matrix[a * width + b], 0.0F);
      }
    }
  }

  /// Expects the first of all pairs in sorted order.
  static void ExpectLargest(ParamMap const& method, Model const& model, DataView const& rows, TreeRange trees,
                            std::int64_t top_k) {
    auto const all = RunSparse(method, model, rows, trees, 0);
    auto const largest = RunSparse(method, model, rows, trees, top_k);
    ASSERT_EQ(largest.begin.size(), all.begin.size());
    for (std::size_t line = 0; line + 1 < all.begin.size(); ++line) {
      std::vector<std::size_t> order;
      for (auto entry = all.begin[line]; entry < all.begin[line + 1]; ++entry) {
        auto const i = static_cast<std::size_t>(entry);
        if (all.first[i] != all.second[i]) order.push_back(i);
      }
      std::stable_sort(order.begin(), order.end(),
                       [&](auto a, auto b) { return IsLarger(all.values[a], all.values[b]); });
      order.resize(std::min(order.size(), static_cast<std::size_t>(top_k)));
      ASSERT_EQ(largest.begin[line + 1] - largest.begin[line], static_cast<std::int64_t>(order.size()));
      for (std::size_t place = 0; place < order.size(); ++place) {
        auto const i = static_cast<std::size_t>(largest.begin[line]) + place;
        ASSERT_EQ(largest.first[i], all.first[order[place]]) << "line " << line << ", place " << place;
        ASSERT_EQ(largest.second[i], all.second[order[place]]);
        ASSERT_EQ(std::memcmp(&largest.values[i], &all.values[order[place]], sizeof(float)), 0);
      }
    }
  }
};

TEST_F(GpuSparseTest, SameBitsAsTheMatrices) {
  for (auto const& [name, spec] : Specs()) {
    SCOPED_TRACE(name);
    auto const model = RandomModel(spec);
    ExpectAll({}, model, RandomRows(40, spec.n_features, 5), AllTrees(model));
  }
}

TEST_F(GpuSparseTest, TheLargestPairs) {
  for (auto const& [name, spec] : Specs()) {
    auto const model = RandomModel(spec);
    for (std::int64_t const top_k : {1, 4, 1000}) {
      SCOPED_TRACE(name + ", " + std::to_string(top_k));
      ExpectLargest({}, model, RandomRows(35, spec.n_features, 6), AllTrees(model), top_k);
    }
  }
}

TEST_F(GpuSparseTest, RangesOfTreesAndTreeShap) {
  ForestSpec spec;
  spec.n_trees = 12;
  spec.n_classes = 3;
  spec.n_features = 30;
  auto const model = RandomModel(spec);
  auto const rows = RandomRows(20, spec.n_features, 9);
  for (auto const& method : {ParamMap{}, ParamMap{{"shap_method", "treeshap"}}}) {
    for (auto const trees : {TreeRange{2, 7}, TreeRange{1, 2}, TreeRange{5, 5}, AllTrees(model)}) {
      ExpectAll(method, model, rows, trees);
      ExpectLargest(method, model, rows, trees, 3);
    }
  }
}

/// Many features, few of which interact in trees, and more rows than are written at a time.
TEST_F(GpuSparseTest, WideRows) {
  ForestSpec spec;
  spec.n_features = 300;
  spec.n_trees = 6;
  spec.depth = 4;
  auto const model = RandomModel(spec);
  auto const rows = RandomRows(70, spec.n_features, 10);
  ExpectAll({}, model, rows, AllTrees(model));
  ExpectLargest({}, model, rows, AllTrees(model), 10);
}

TEST_F(GpuSparseTest, NoRowsAndNegativeNumbers) {
  auto const model = RandomModel({});
  for (std::int64_t const top_k : {0, 2}) {
    auto const none = RunSparse({}, model, RandomRows(0, 6, 1), AllTrees(model), top_k);
    EXPECT_EQ(none.begin, std::vector<std::int64_t>{0});
    EXPECT_TRUE(none.values.empty());
  }
  auto const message =
      MessageOf(ErrorKind::kParameter, [&] { RunSparse({}, model, RandomRows(1, 6, 1), AllTrees(model), -1); });
  EXPECT_EQ(message, "top_k is -1; expected 0 for all interactions, or how many to keep.");
}

TEST_F(GpuSparseTest, RowsInDeviceMemory) {
  ForestSpec spec;
  spec.n_classes = 2;
  auto const model = RandomModel(spec);
  auto const values = MakeValues({300, spec.n_features, 0.2, 0, false, 14});
  auto const on_device = cuda::ToDevice(Cuda(), values);
  Cuda().Synchronize();  // for the rows, which another stream reads
  BorrowedRows const rows(DenseLayout(on_device.data(), 300, spec.n_features));
  auto const view = MakeDeviceView(rows);
  for (std::int64_t const top_k : {0, 3}) {
    auto const from_device = RunSparse({}, model, *view, AllTrees(model), top_k);
    auto const from_host = RunSparse({}, model, MemoryView(values, spec.n_features), AllTrees(model), top_k);
    EXPECT_TRUE(SameFloats(from_device.values, from_host.values));
    EXPECT_EQ(from_device.second, from_host.second);
  }
}

class GpuSelectTest : public DeviceTest {};

/// Ties, zeros of both signs, infinities, NaN; segments of one value and of many; picks of all, some and one.
TEST_F(GpuSelectTest, AsSorted) {
  std::int64_t const n_rows = 3;
  std::vector<std::int64_t> const sizes{1, 0, 31, 256, 257, 3000};
  Random random(1);
  std::int64_t row_floats = 0;
  for (auto const size : sizes) row_floats += size;
  std::vector<float> values(n_rows * row_floats);
  float const special[] = {0.0F, -0.0F, 1.0F, -1.0F, 1.0F, kInf, -kInf, kNaN, 1e-40F, 0.5F};
  for (auto& value : values) value = random.Below(3) == 0 ? random.Normal() : special[random.Below(10)];
  for (std::int64_t const top_k : {1, 31, 200, 5000}) {
    std::vector<cuda::PickSegment> segments;
    std::int64_t begin = 0;
    std::int64_t n_picks = 0;
    for (auto const size : sizes) {
      segments.push_back({begin, size, n_picks, std::min(top_k, size)});
      begin += size;
      n_picks += segments.back().n_picks;
    }
    auto const on_device = cuda::ToDevice(Cuda(), values);
    auto const segments_on_device = cuda::ToDevice(Cuda(), segments);
    cuda::Buffer<cuda::PickRank> const picks(Cuda(), static_cast<std::size_t>(n_rows * n_picks));
    cuda::PickTask task{};
    task.values = on_device.data();
    task.row_floats = row_floats;
    task.n_rows = n_rows;
    task.segments = segments_on_device.data();
    task.n_segments = static_cast<std::int64_t>(segments.size());
    task.picks = picks.data();
    task.row_picks = n_picks;
    cuda::SelectLargest(Cuda(), task);
    auto found = Fetch(Cuda(), picks);
    for (std::int64_t row = 0; row < n_rows; ++row) {
      for (auto const& segment : segments) {
        std::vector<cuda::PickRank> expected;
        for (std::int64_t place = 0; place < segment.size; ++place) {
          auto const value = values[row * row_floats + segment.begin + place];
          expected.push_back(cuda::RankOf(value, static_cast<std::uint32_t>(place)));
          EXPECT_TRUE(SameFloats({cuda::ValueOfRank(expected.back())}, {value}));
          EXPECT_EQ(cuda::PlaceOfRank(expected.back()), static_cast<std::uint32_t>(place));
        }
        std::sort(expected.begin(), expected.end());
        expected.resize(segment.n_picks);
        auto const first = found.begin() + row * n_picks + segment.pick_begin;
        std::sort(first, first + segment.n_picks);
        EXPECT_EQ(std::vector<cuda::PickRank>(first, first + segment.n_picks), expected);
      }
    }
  }
}

}  // namespace
}  // namespace kauri::testing
