/// 1. The background's rows become keys on the device.
/// 2. Rows come in tiles whose keys and sums fit into a quarter of the free device memory. Mostly there is one tile.
/// 3. For one piece of the trees after another, the device makes tables and adds them to the rows' sums.
/// If the device cannot make the tables, or the background has too many rows for it, the
/// host's threads compile some trees at a time while the device works on the trees before.
#include "cuda/shap/interventional.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "cuda/common/memory_plan.h"
#include "cuda/forest/host_rows.h"
#include "cuda/shap/pair_patterns.h"
#include "cuda/shap/shap_sums.h"
#include "predictor/interventional/background_tree.h"

namespace kauri::cuda {
namespace {

/// Sums of int64 reach 2^63. Two bits are left free, because single terms can be larger than their sum.
constexpr int kSumBits = 61;
/// Trees per thread that the host compiles at a time.
constexpr std::int64_t kTreesPerThread = 4;

/// Returns the scale of the integer sums. A tree's contribution is a mean of differences of two leaves, which bounds
/// it.
double ScaleOf(Forest const& forest, TreeRange trees) {
  double bound = 0.0;
  for (auto tree = trees.begin; tree < trees.end; ++tree) {
    auto const* const begin = forest.leaf_value.data() + forest.tree_begin[tree];
    auto const* const end = forest.leaf_value.data() + forest.tree_begin[tree + 1];
    float largest = 0.0F;
    std::for_each(begin, end, [&](float value) { largest = std::max(largest, std::abs(value)); });
    bound += 2.0 * static_cast<double>(largest);
  }
  int exponent = 0;
  std::frexp(bound, &exponent);  // bound < 2^exponent
  return std::ldexp(1.0, kSumBits - exponent);
}

/// Returns the value of a tree that has no splits, or 0 for other trees.
double ConstantOf(PathProgram const& program) {
  auto const& first = program.leaves.front();
  return first.n_features == 0 ? static_cast<double>(first.value) : 0.0;
}

bool HasLargerTable(PathProgram const& program, std::uint32_t most_features) {
  return std::any_of(program.leaves.begin(), program.leaves.end(), [&](PathLeaf const& leaf) {
    return leaf.n_features > most_features && TableSize(leaf.n_features) > 0;
  });
}

}  // namespace

InterventionalProgram::InterventionalProgram(Context const& ctx, CudaContext const& cuda, Forest const& forest,
                                             TreeRange trees, TableLimits const& limits)
    : trees_(trees), scale_(ScaleOf(forest, trees)), rules_(MakeTableRules(cuda)) {
  CompileTrees(ctx, cuda, forest, limits);
  if (!is_for_device_) pieces_.clear();
}

void InterventionalProgram::CompileTrees(Context const& ctx, CudaContext const& cuda, Forest const& forest,
                                         TableLimits const& limits) {
  PathCategories categories(forest.categories);
  LaneBatchMaker maker(forest, limits.piece_doubles);
  std::vector<double> constants;
  std::uint32_t longest = 0;
  auto const step = kTreesPerThread * std::max(1, ctx.threads);
  for (auto first = trees_.begin; first < trees_.end; first += step) {
    auto const programs = CompilePaths(ctx, forest, {first, std::min(trees_.end, first + step)}, &categories);
    for (auto const& program : programs) {
      is_for_device_ = !HasLargerTable(program, limits.most_features);
      if (!is_for_device_) return;
      longest = std::max(longest, program.most_features);
      maker.AddTree(trees_.begin + static_cast<std::int64_t>(constants.size()), program, {});
      constants.push_back(ConstantOf(program));
    }
    AddBatches(cuda, maker.TakeFull());
  }
  AddBatches(cuda, {maker.TakeLast()});
  categories_.emplace(cuda, categories);
  if (longest > kMostPartFeatures) SetWeights(cuda, longest);
  start_means_ = ToDevice(cuda, constants);
  std::vector<std::int32_t> const outputs(forest.output_of_tree.begin() + trees_.begin,
                                          forest.output_of_tree.begin() + trees_.end);
  output_of_tree_ = ToDevice(cuda, outputs);
  cuda.Synchronize();  // for the host's arrays; other streams read the copies
}

void InterventionalProgram::SetWeights(CudaContext const& cuda, std::uint32_t longest) {
  ShapleyWeights const weights(longest);
  weights_ = ToDevice(cuda, weights.All());
  weights_size_ = weights.Size();
  cuda.Synchronize();  // for `weights`
}

void InterventionalProgram::AddBatches(CudaContext const& cuda, std::vector<LaneBatch> const& batches) {
  for (auto const& batch : batches) {
    if (!batch.items.empty()) pieces_.emplace_back(cuda, batch, trees_.begin);
  }
}

std::int64_t InterventionalProgram::MostTableDoubles() const {
  std::int64_t most = 0;
  for (auto const& piece : pieces_) most = std::max(most, piece.TableDoubles());
  return most;
}

void InterventionalProgram::StartMeans(CudaContext const& cuda, double* means) const {
  CopyOnDevice(cuda, start_means_.data(), start_means_.size(), means);
}

void InterventionalProgram::SumMeans(CudaContext const& cuda, double const* means, std::int64_t n_outputs,
                                     double* of_output) const {
  SumTreeMeans(cuda, means, output_of_tree_.data(), trees_.end - trees_.begin, n_outputs, of_output);
}

namespace {

/// Size of the tables of a piece: 256 MiB.
constexpr std::int64_t kPieceDoubles = std::int64_t{1} << 25;
/// Rows of a background are counted in 32 bits.
constexpr std::int64_t kMostCounted = 0xFFFFFFFF;
/// A query for the free memory takes longer than a call that needs no more than this number of bytes.
constexpr std::int64_t kWithoutAsking = std::int64_t{32} << 20U;
/// Maximum memory for rows that a call leaves to the next one.
constexpr std::size_t kMostIdleBytes = std::size_t{96} << 20U;

/// A call whose rows pass over the trees tile by tile.
class InterventionalRun {
 public:
  InterventionalRun(Context const& ctx, DeviceForest const& forest, InterventionalTask const& task,
                    InterventionalProgram const& program, TilesInFlight* tiles)
      : ctx_(ctx),
        on_device_(forest),
        forest_(forest.OnHost()),
        task_(task),
        program_(program),
        tiles_(*tiles),
        session_(tiles->Take(ctx, 0)),
        n_cells_(forest_.n_outputs * forest_.NumSlots()),
        width_(forest_.n_outputs * (forest_.n_features + 1)) {}

  void Run() {
    auto const row_bytes = 8 * forest_.NumSlots() + 16 * n_cells_ + 4 * (width_ + forest_.n_outputs);
    auto const budget = Budget(std::max(task_.rows.NumRows() * row_bytes, BackgroundBytes()));
    ReadBackground(budget);
    auto const tile_rows = std::max<std::int64_t>(1, budget / row_bytes);
    for (std::int64_t begin = 0; begin < task_.rows.NumRows(); begin += tile_rows) {
      RunTile(begin, std::min(task_.rows.NumRows(), begin + tile_rows));
    }
    tiles_.Finish(ctx_);
  }

 private:
  std::int64_t Budget(std::int64_t wanted) const {
    if (task_.tile_bytes > 0) return task_.tile_bytes;
    return wanted <= kWithoutAsking ? wanted : static_cast<std::int64_t>(FreeBytes(session_.Cuda()) / 4);
  }
  /// Returns the bytes of the background's features and keys.
  std::int64_t BackgroundBytes() const { return 8 * task_.background.NumRows() * forest_.NumSlots(); }

  /// Returns the background's storage if it is on this device, else nullptr.
  DeviceStorage const* StorageHere(DataView const& background) const {
    auto const* const storage = background.OnDevice();
    return storage != nullptr && storage->Layout().device == on_device_.DeviceOrdinal() ? storage : nullptr;
  }

  void ReadBackground(std::int64_t budget) {
    auto const& cuda = session_.Cuda();
    auto const n_rows = task_.background.NumRows();
    auto const most_rows = program_.HasPairs() ? MostPairRows(cuda) : kMostCounted;
    if (!program_.IsForDevice() || n_rows > most_rows || BackgroundBytes() > budget) {
      host_background_.emplace(ctx_, forest_, task_.background, 0, n_rows, kPatternRows);
      return;
    }
    auto const* const here = StorageHere(task_.background);
    auto const rows =
        here != nullptr ? RowsOn(cuda, *here) : session_.Upload(ctx_, forest_, task_.background, 0, n_rows);
    background_memory_ = Buffer<std::int32_t>(cuda, ToSize(n_rows * forest_.NumSlots()));
    background_ = {background_memory_.data(), n_rows, 1, n_rows};
    ReadRowKeys(cuda, on_device_.View(), rows, background_);
    if (here == nullptr) cuda.Synchronize();  // for page-locked memory, which the rows of the first tile reuse
  }

  DeviceRows ReadRows(std::int64_t begin, std::int64_t end) {
    if (auto const* on_device = task_.rows.OnDevice()) {
      return RowsFrom(RowsOn(session_.Cuda(), *on_device), begin, end);
    }
    return session_.Upload(ctx_, forest_, task_.rows, begin, end);
  }

  void RunTile(std::int64_t begin, std::int64_t end) {
    tiles_.Take(ctx_, 0);  // waits for the results of the previous tile
    auto const& cuda = session_.Cuda();
    auto const n_rows = end - begin;
    auto const* const start = session_.UploadStart(task_.start, forest_.n_outputs, begin, end);
    auto const rows = ReadRows(begin, end);
    Buffer<std::int32_t> const key_memory(cuda, ToSize(n_rows * forest_.NumSlots()));
    RowKeys const keys{key_memory.data(), n_rows, 1, n_rows};
    ReadRowKeys(cuda, on_device_.View(), rows, keys);
    Buffer<unsigned long long> const sum_memory(cuda, ToSize(n_cells_ * n_rows));  // the type that atomicAdd takes
    FillZero(cuda, sum_memory.data(), sum_memory.size());
    InterventionalSums const sums{sum_memory.data(), n_rows, forest_.NumSlots(), program_.Scale()};
    Buffer<double> const means(cuda, ToSize(forest_.n_outputs));
    host_background_.has_value() ? AddHostTrees(keys, sums, means.data()) : AddTrees(keys, sums, means.data());
    Write(sums, means.data(), start);
    tiles_.Send(ctx_, 0, ToSize(n_rows * width_), task_.out.data() + begin * width_);
  }

  /// means (out): [n_outputs], means of the trees over the background.
  void AddTrees(RowKeys const& keys, InterventionalSums const& sums, double* means) const {
    auto const& cuda = session_.Cuda();
    auto const background = program_.Background(background_);
    Buffer<double> const tables(cuda, ToSize(program_.MostTableDoubles()));  // reused by each piece
    Buffer<double> const of_trees(cuda, ToSize(task_.trees.end - task_.trees.begin));
    program_.StartMeans(cuda, of_trees.data());
    for (auto const& piece : program_.Pieces()) {
      piece.Add(cuda, background, {keys, sums, of_trees.data()}, tables.data());
    }
    program_.SumMeans(cuda, of_trees.data(), forest_.n_outputs, means);
  }

  void AddHostTrees(RowKeys const& keys, InterventionalSums const& sums, double* means) {
    auto const& cuda = session_.Cuda();
    BackgroundBatches batches(forest_, *host_background_, task_.trees);
    while (batches.Next(ctx_)) {
      DeviceLaneBatch const lanes(cuda, forest_, batches);
      lanes.Add(cuda, keys, sums);
    }
    host_means_ = batches.Means();
    CopyToDevice(cuda, host_means_.data(), host_means_.size(), means);
  }

  /// Writes the values to the session's output.
  void Write(InterventionalSums const& sums, double const* means, float const* start) {
    auto const& cuda = session_.Cuda();
    auto const n_values = n_cells_ * sums.n_rows;
    Buffer<double> const values(cuda, ToSize(n_values));
    SumsToValues(cuda, sums, n_values, values.data());
    auto const view = on_device_.View();
    WriteApproxValues(
        cuda, values.data(), forest_.NumSlots(), false,
        {session_.Output(ToSize(sums.n_rows * width_)), sums.n_rows, forest_.n_features, forest_.n_outputs, start,
         !task_.start.of_row.empty(), means, view.slot_of_feature, view.n_mapped_features});
  }

  Context const& ctx_;
  DeviceForest const& on_device_;
  Forest const& forest_;
  InterventionalTask const& task_;
  InterventionalProgram const& program_;
  TilesInFlight& tiles_;
  ShapSession& session_;
  std::optional<KeyTiles> host_background_;  ///< set if the host makes the tables
  std::vector<double> host_means_;           ///< on their way to the device until a tile is finished
  Buffer<std::int32_t> background_memory_;
  RowKeys background_{};
  std::int64_t n_cells_;
  std::int64_t width_;  ///< floats of a row
};

}  // namespace

InterventionalModel::InterventionalModel(DeviceForest const& forest)
    : forest_(forest), stream_(forest.DeviceOrdinal()), idle_(forest.DeviceOrdinal()) {}

std::shared_ptr<InterventionalProgram const> InterventionalModel::Program(Context const& ctx, TreeRange trees) const {
  std::lock_guard<std::mutex> const lock(mutex_);
  if (program_ == nullptr || program_->Trees().begin != trees.begin || program_->Trees().end != trees.end) {
    program_ = nullptr;
    auto const& cuda = stream_.Context();
    TableLimits const limits{MostTableFeatures(cuda), kPieceDoubles};
    program_ = std::make_shared<InterventionalProgram const>(ctx, cuda, forest_.OnHost(), trees, limits);
  }
  return program_;
}

void InterventionalModel::Explain(Context const& ctx, InterventionalTask const& task) const {
  CheckBackground(task.background);
  if (task.rows.NumRows() == 0) return;
  DeviceScope const scope(forest_.DeviceOrdinal());
  auto const program = Program(ctx, task.trees);  // before the tiles, whose work reads it
  auto tiles = idle_.Take();
  InterventionalRun(ctx, forest_, task, *program, tiles.get()).Run();
  if (tiles->Bytes() <= kMostIdleBytes) idle_.Keep(std::move(tiles));
}

}  // namespace kauri::cuda
