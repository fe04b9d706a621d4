/// 1. The background's rows become keys on the device.
/// 2. Rows come in tiles whose keys and sums fit into a quarter of the free device memory. Mostly there is one tile.
/// 3. For one piece of the trees after another, the device makes tables and adds them to the rows' sums. If there are
///    some tiles and all tables fit into another quarter of the memory, only the first tile makes them.
/// If the device cannot make the tables, or the background has too many rows for it, the host's threads compile some
/// trees at a time while the device works on the trees before.
#include "cuda/shap/interventional.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "cuda/common/memory_plan.h"
#include "cuda/forest/host_rows.h"
#include "cuda/shap/pair_patterns.h"
#include "cuda/shap/shap_sums.h"
#include "predictor/interventional/background_tree.h"
#include "predictor/lanes/path_pairs.h"

namespace kauri::cuda {
namespace {

/// Trees per thread that the host compiles at a time.
constexpr std::int64_t kTreesPerThread = 4;

/// Returns the value of a tree that has no splits, or 0 for other trees.
double ConstantOf(PathProgram const& program) {
  auto const& first = program.leaves.front();
  return first.n_features == 0 ? first.value : 0.0;
}

bool HasLargerTable(PathProgram const& program, std::uint32_t most_features) {
  return std::any_of(program.leaves.begin(), program.leaves.end(), [&](PathLeaf const& leaf) {
    return leaf.n_features > most_features && TableSize(leaf.n_features) > 0;
  });
}

}  // namespace

InterventionalProgram::InterventionalProgram(Context const& ctx, CudaContext const& cuda, Forest const& forest,
                                             TreeRange trees, TableLimits const& limits, QuadratureGoal goal)
    : trees_(trees), goal_(goal), ranges_(OutputRanges(forest, trees)), rules_(MakeTableRules(cuda, goal.semivalue)) {
  if (goal.with_pairs) pairs_.emplace(cuda, FindPathPairs(ctx, forest, trees));
  SetEntries(cuda, forest);
  CompileTrees(ctx, cuda, forest, limits);
  if (!is_for_device_) pieces_.clear();
}

void InterventionalProgram::SetEntries(CudaContext const& cuda, Forest const& forest) {
  auto const entries = goal_.with_pairs ? MatrixEntries(forest, pairs_->OnHost()) : ContributionEntries(forest);
  entries_.emplace(cuda, entries);
  range_of_output_ = ToDevice(cuda, ranges_);
  cuda.Synchronize();  // other streams read the copy
}

void InterventionalProgram::CompileTrees(Context const& ctx, CudaContext const& cuda, Forest const& forest,
                                         TableLimits const& limits) {
  PathCategories categories(forest.categories);
  LaneBatchMaker maker(forest, pairs_.has_value() ? &pairs_->OnHost() : nullptr, limits.piece_numbers);
  std::vector<double> constants;
  std::uint32_t longest = 0;
  auto const step = kTreesPerThread * std::max(1, ctx.threads);
  for (auto first = trees_.begin; first < trees_.end; first += step) {
    auto programs = CompilePaths(ctx, forest, {first, std::min(trees_.end, first + step)}, &categories);
    for (auto& program : programs) {
      auto const tree = trees_.begin + static_cast<std::int64_t>(constants.size());
      DivideLeaves(ranges_[forest.output_of_tree[tree]], &program);
      is_for_device_ = !HasLargerTable(program, limits.most_features);
      if (!is_for_device_) return;
      longest = std::max(longest, program.most_features);
      maker.AddTree(tree, program, {});
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
  ShapleyWeights const weights(longest, goal_.semivalue);
  weights_ = ToDevice(cuda, weights.All());
  weights_size_ = weights.Size();
  cuda.Synchronize();  // for `weights`
}

void InterventionalProgram::AddBatches(CudaContext const& cuda, std::vector<LaneBatch> const& batches) {
  for (auto const& batch : batches) {
    if (!batch.items.empty()) pieces_.emplace_back(cuda, batch, trees_.begin);
  }
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
constexpr std::int64_t kPieceNumbers = std::int64_t{1} << 25;
/// Rows of a background are counted in 32 bits.
constexpr std::int64_t kMostCounted = 0xFFFFFFFF;
/// A query for the free memory takes longer than a call that needs no more than this number of bytes.
constexpr std::int64_t kWithoutAsking = std::int64_t{32} << 20U;
/// Maximum memory for rows that a call leaves to the next one.
constexpr std::size_t kMostIdleBytes = std::size_t{96} << 20U;

/// Programs of a model that are kept for later calls.
constexpr std::size_t kMostPrograms = 2;

/// Memory for the tables of a piece.
class PieceMemory {
 public:
  PieceMemory(CudaContext const& cuda, std::int64_t table_size, std::int64_t pair_table_size, std::size_t n_leaves)
      : values_(cuda, ToSize(table_size)), pairs_(cuda, ToSize(pair_table_size)), reached_(cuda, n_leaves) {}
  PieceTables Tables() const { return {values_.data(), pairs_.data()}; }
  double* Reached() const { return reached_.data(); }

 private:
  Buffer<std::int64_t> values_;
  Buffer<std::int64_t> pairs_;
  Buffer<double> reached_;
};

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
        cells_{forest_.n_outputs, forest_.NumSlots(),
               program.Pairs() == nullptr ? 0 : program.Pairs()->OnHost().NumPairs()},
        width_(program.Entries().row_floats) {}

  void Run() {
    auto const row_bytes = 8 * forest_.NumSlots() + 8 * cells_.Count() + 4 * (width_ + forest_.n_outputs);
    auto const n_rows = task_.rows.NumRows();
    auto const budget = Budget(std::max(n_rows * row_bytes, BackgroundBytes()));
    ReadBackground(budget);
    auto const tile_rows = std::max<std::int64_t>(1, budget / row_bytes);
    means_ = Buffer<double>(session_.Cuda(), ToSize(forest_.n_outputs));
    if (!host_background_.has_value()) ReserveTables(n_rows > tile_rows, budget);
    for (std::int64_t begin = 0; begin < n_rows; begin += tile_rows)
      RunTile(begin, std::min(n_rows, begin + tile_rows));
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
    auto const most_rows = program_.HasPatterns() ? MostPairRows(cuda) : kMostCounted;
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
    ShapSums const sums(cuda, n_rows, cells_, ShapLayout::kRowMinor, kUnitsOfOne);
    sums.Clear(cuda);
    host_background_.has_value() ? AddHostTrees(keys, sums.View()) : AddTrees(keys, sums.View(), begin == 0);
    Write(sums.View(), n_rows, start);
    if (task_.each_tile != nullptr) {
      task_.each_tile(cuda, begin, end, session_.Output(ToSize(n_rows * width_)));
      return cuda.Synchronize();  // for the results, which the next tile overwrites
    }
    tiles_.Send(ctx_, 0, ToSize(n_rows * width_), task_.out.data() + begin * width_);
  }

  /// Makes room for the tables: of all pieces if some tiles of rows need them and they fit, else of the largest one.
  void ReserveTables(bool are_needed_again, std::int64_t budget) {
    auto const& cuda = session_.Cuda();
    std::int64_t all = 0;
    std::int64_t values = 0;
    std::int64_t pairs = 0;
    std::size_t leaves = 0;
    for (auto const& piece : program_.Pieces()) {
      all += 8 * (piece.TableSize() + piece.PairTableSize());
      values = std::max(values, piece.TableSize());
      pairs = std::max(pairs, piece.PairTableSize());
      leaves = std::max(leaves, piece.NumLeaves());
    }
    keeps_tables_ = are_needed_again && all <= budget;
    if (!keeps_tables_) return static_cast<void>(tables_.emplace_back(cuda, values, pairs, leaves));
    for (auto const& piece : program_.Pieces()) {
      tables_.emplace_back(cuda, piece.TableSize(), piece.PairTableSize(), piece.NumLeaves());
    }
  }

  /// is_first: no tile was computed before.
  void AddTrees(RowKeys const& keys, ShapSumsView const& sums, bool is_first) {
    auto const& cuda = session_.Cuda();
    auto const background = program_.Background(background_);
    Buffer<double> const of_trees(cuda, ToSize(task_.trees.end - task_.trees.begin));
    program_.StartMeans(cuda, of_trees.data());
    for (std::size_t i = 0; i < program_.Pieces().size(); ++i) {
      auto const& piece = program_.Pieces()[i];
      auto const& memory = tables_[keeps_tables_ ? i : 0];
      if (is_first || !keeps_tables_) piece.MakeTables(cuda, background, memory.Tables(), memory.Reached());
      piece.Add(cuda, background, memory.Tables(), {keys, sums}, memory.Reached());
      piece.AddMeans(cuda, memory.Reached(), of_trees.data());
    }
    program_.SumMeans(cuda, of_trees.data(), forest_.n_outputs, means_.data());
  }

  void AddHostTrees(RowKeys const& keys, ShapSumsView const& sums) {
    auto const& cuda = session_.Cuda();
    auto const* const pairs = program_.Pairs();
    BackgroundBatches batches(forest_, *host_background_, task_.trees, task_.goal);
    while (batches.Next(ctx_)) {
      DeviceLaneBatch const lanes(cuda, forest_, batches, pairs == nullptr ? nullptr : &pairs->OnHost());
      lanes.Add(cuda, keys, sums);
    }
    host_means_ = batches.Means();
    CopyToDevice(cuda, host_means_.data(), host_means_.size(), means_.data());
  }

  /// Writes the values to the session's output.
  void Write(ShapSumsView const& sums, std::int64_t n_rows, float const* start) {
    auto const view = on_device_.View();
    // Rows of Shapley-Taylor indices do not add up to the values of features.
    auto const adds_up = program_.Pairs() != nullptr && task_.goal.semivalue != Semivalue::kTaylorPairs;
    WriteShapValues(session_.Cuda(), sums, program_.Entries(),
                    adds_up ? program_.Pairs()->OfSlots() : PairsOfSlotsView{},
                    {session_.Output(ToSize(n_rows * width_)), n_rows, forest_.n_features, forest_.n_outputs, start,
                     !task_.start.of_row.empty(), means_.data(), view.slot_of_feature, view.n_mapped_features,
                     program_.RangeOfOutput(), true});
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
  Buffer<double> means_;             ///< [n_outputs], of the trees over the background, divided by the ranges
  bool keeps_tables_ = false;        ///< from the first tile to the last
  std::vector<PieceMemory> tables_;  ///< by piece, or one for all
  ShapCells cells_;
  std::int64_t width_;  ///< floats of a row
};

}  // namespace

InterventionalModel::InterventionalModel(DeviceForest const& forest)
    : forest_(forest), stream_(forest.DeviceOrdinal()), idle_(forest.DeviceOrdinal()) {}

std::shared_ptr<InterventionalProgram const> InterventionalModel::Program(Context const& ctx, TreeRange trees,
                                                                          QuadratureGoal goal) const {
  std::lock_guard<std::mutex> const lock(mutex_);
  auto const found = std::find_if(programs_.begin(), programs_.end(), [&](auto const& program) {
    return program->Goal().semivalue == goal.semivalue && program->Goal().with_pairs == goal.with_pairs &&
           program->Trees().begin == trees.begin && program->Trees().end == trees.end;
  });
  if (found != programs_.end()) {
    std::rotate(programs_.begin(), found, found + 1);
    return programs_.front();
  }
  if (programs_.size() == kMostPrograms) programs_.pop_back();  // before the new one needs memory
  auto const& cuda = stream_.Context();
  TableLimits const limits{MostTableFeatures(cuda), kPieceNumbers};
  auto program = std::make_shared<InterventionalProgram const>(ctx, cuda, forest_.OnHost(), trees, limits, goal);
  programs_.insert(programs_.begin(), program);
  return program;
}

void InterventionalModel::Explain(Context const& ctx, InterventionalTask const& task) const {
  CheckBackground(task.background);
  if (task.rows.NumRows() == 0) return;
  DeviceScope const scope(forest_.DeviceOrdinal());
  auto const program = Program(ctx, task.trees, task.goal);  // before the tiles, whose work reads it
  auto tiles = idle_.Take();
  InterventionalRun(ctx, forest_, task, *program, tiles.get()).Run();
  if (tiles->Bytes() <= kMostIdleBytes) idle_.Keep(std::move(tiles));
}

}  // namespace kauri::cuda
