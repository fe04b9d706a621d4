/// Tiles of rows pass over the trees of one output after the other, which share the memory of the sums. Three tiles are
/// in flight: the rows of one and the results of another cross the bus meanwhile (shap_session.h).
#include "cuda/shap/set_model.h"

#include <algorithm>

#include "common/threads/parallel_for.h"
#include "cuda/common/memory_plan.h"
#include "cuda/forest/host_rows.h"

namespace kauri::cuda {
namespace {

/// Limits on the bytes of a tile's results.
constexpr std::int64_t kLeastSetBytes = 4 << 20;
constexpr std::int64_t kMostSetBytes = 32 << 20;
/// Number of tiles of a call, unless its tiles would be smaller or larger than these limits.
constexpr std::int64_t kWantedSetTiles = 8;
/// Rows of a tile are a multiple of this, if memory allows.
constexpr std::int64_t kSetTileRows = 64;

std::int64_t RowsOfTile(std::int64_t n_rows, std::int64_t row_bytes, std::int64_t most_rows) {
  auto const bytes = std::clamp(n_rows * row_bytes / kWantedSetTiles, kLeastSetBytes, kMostSetBytes);
  auto const wanted = std::max<std::int64_t>(1, bytes / std::max<std::int64_t>(1, row_bytes));
  auto const even = (wanted + kSetTileRows - 1) / kSetTileRows * kSetTileRows;
  return std::max<std::int64_t>(1, std::min(even, most_rows));
}

}  // namespace

SetPlan::SetPlan(CudaContext const& cuda, Forest const& forest, TreeRange trees, SetInteractionOptions const& options)
    : trees_(trees),
      options_(options),
      compiled_(CompileSets(forest, options)),
      entries_(forest, *compiled_, trees, options.top_k),
      sets_(cuda, *compiled_),
      fillable_begin_(1, 0) {
  std::vector<std::uint32_t> fillable;
  for (std::int64_t output = 0; output < forest.n_outputs; ++output) {
    auto const& of_output = entries_.Fillable(output);
    fillable.insert(fillable.end(), of_output.begin(), of_output.end());
    fillable_begin_.push_back(static_cast<std::int64_t>(fillable.size()));
  }
  fillable_ = ToDevice(cuda, fillable);
  SetTrees(cuda, forest);
  if (options.top_k != 0) SetSegments(cuda);
  if (auto const* shares = entries_.Shares()) {
    share_begin_ = ToDevice(cuda, shares->Begins());
    shares_ = ToDevice(cuda, shares->All());
  }
  cuda.Synchronize();  // for the host's arrays; other streams read the copies
}

void SetPlan::SetTrees(CudaContext const& cuda, Forest const& forest) {
  std::vector<std::int32_t> numbers;
  tree_begin_.push_back(0);
  for (std::int64_t output = 0; output < forest.n_outputs; ++output) {
    std::int32_t most = 0;
    for (auto tree = trees_.begin; tree < trees_.end; ++tree) {
      if (forest.output_of_tree[tree] != output || compiled_->trees[tree].n_features == 0) continue;
      numbers.push_back(static_cast<std::int32_t>(tree));
      most = std::max(most, sets_.PlacesOf(tree));
    }
    tree_begin_.push_back(static_cast<std::int64_t>(numbers.size()));
    most_places_.push_back(most);
  }
  numbers_ = ToDevice(cuda, numbers);
  cuda.Synchronize();  // for `numbers`
}

void SetPlan::SetSegments(CudaContext const& cuda) {
  std::vector<PickSegment> segments;
  std::int64_t pick_begin = 0;
  for (std::size_t output = 0; output + 1 < fillable_begin_.size(); ++output) {
    auto const n_picks = entries_.CountOf(static_cast<std::int64_t>(output));
    segments.push_back(
        {fillable_begin_[output], fillable_begin_[output + 1] - fillable_begin_[output], pick_begin, n_picks});
    pick_begin += n_picks;
  }
  segments_ = ToDevice(cuda, segments);
  cuda.Synchronize();  // for `segments`
}

bool SetPlan::IsOf(TreeRange trees, SetInteractionOptions const& options) const {
  return trees_.begin == trees.begin && trees_.end == trees.end && options_.index == options.index &&
         options_.max_order == options.max_order && options_.top_k == options.top_k;
}

std::int64_t SetPlan::RowBytes() const {
  auto const values = options_.top_k == 0 ? 0 : RowValues();
  return 8 * compiled_->sets.Count() + 4 * (RowFloats() + values);
}

void SetPlan::ComputeValues(CudaContext const& cuda, RowKeys const& keys, float* values) const {
  Buffer<unsigned long long> const memory(cuda, ToSize(compiled_->sets.Count() * keys.n_rows));
  for (std::size_t output = 0; output < most_places_.size(); ++output) {
    auto const n_sets = fillable_begin_[output + 1] - fillable_begin_[output];
    if (n_sets == 0) continue;
    FillZero(cuda, memory.data(), memory.size());
    SetSums const sums{memory.data(), keys.n_rows, entries_.ScaleOf(static_cast<std::int64_t>(output))};
    DeviceSets::Trees const trees{numbers_.data() + tree_begin_[output], tree_begin_[output + 1] - tree_begin_[output],
                                  most_places_[output]};
    sets_.Add(cuda, keys, trees, sums);
    WriteSetValues(cuda, sums,
                   {fillable_.data() + fillable_begin_[output], n_sets,
                    entries_.Shares() == nullptr ? nullptr : share_begin_.data(), shares_.data(),
                    values + fillable_begin_[output], RowValues()});
  }
}

void SetPlan::Pick(CudaContext const& cuda, float const* values, std::int64_t n_rows, float* picks) const {
  PickTask task{};
  task.values = values;
  task.row_floats = RowValues();
  task.n_rows = n_rows;
  task.segments = segments_.data();
  task.n_segments = static_cast<std::int64_t>(segments_.size());
  task.picks = reinterpret_cast<PickRank*>(picks);
  task.row_picks = entries_.RowEntries();
  SelectLargest(cuda, task);
}

void SetPlan::Compute(CudaContext const& cuda, RowKeys const& keys, float* out) const {
  if (options_.top_k == 0) return ComputeValues(cuda, keys, out);
  Buffer<float> const values(cuda, ToSize(keys.n_rows * RowValues()));
  ComputeValues(cuda, keys, values.data());
  Pick(cuda, values.data(), keys.n_rows, out);
}

void SetPlan::Fill(Context const& ctx, std::int64_t n_rows, std::vector<float> const& floats,
                   SetInteractions* out) const {
  auto const n_outputs = static_cast<std::int64_t>(most_places_.size());
  ParallelFor(ctx, n_rows, [&](std::int64_t row) {
    for (std::int64_t output = 0; output < n_outputs; ++output) {
      auto const& fillable = entries_.Fillable(output);
      auto to = out->begin[ToSize(row * n_outputs + output)];
      auto const end = out->begin[ToSize(row * n_outputs + output) + 1];
      if (options_.top_k == 0) {
        std::copy(fillable.begin(), fillable.end(), out->sets.begin() + to);
        continue;
      }
      for (auto const rank : SortedPicks(floats.data() + 2 * to, end - to)) {
        out->sets[to] = fillable[PlaceOfRank(rank)];
        out->values[to++] = ValueOfRank(rank);
      }
    }
  });
}

SetModel::SetModel(DeviceForest const& forest)
    : on_device_(forest), forest_(forest.OnHost()), stream_(forest.DeviceOrdinal()), idle_(forest.DeviceOrdinal()) {}

std::shared_ptr<SetPlan const> SetModel::Plan(TreeRange trees, SetInteractionOptions const& options) const {
  std::lock_guard<std::mutex> const lock(mutex_);
  if (plan_ == nullptr || !plan_->IsOf(trees, options)) {
    plan_ = nullptr;  // before the new one needs memory
    plan_ = std::make_shared<SetPlan const>(stream_.Context(), forest_, trees, options);
  }
  return plan_;
}

void SetModel::Explain(Context const& ctx, PredictTask const& task, SetInteractionOptions const& options,
                       SetInteractions* out, std::int64_t tile_bytes) const {
  forest_.RequireCover();
  DeviceScope const scope(on_device_.DeviceOrdinal());
  auto const plan = Plan(task.trees, options);
  SetInteractions result;
  plan->Entries().Prepare({forest_, task.rows, task.trees, task.start}, plan->Compiled(), &result);
  auto const n_rows = task.rows.NumRows();
  std::vector<float> picks(options.top_k == 0 ? 0 : ToSize(n_rows * plan->RowFloats()));
  if (n_rows > 0 && plan->RowFloats() > 0) {
    RunTiles(ctx, task, *plan, tile_bytes, options.top_k == 0 ? result.values.data() : picks.data());
  }
  plan->Fill(ctx, n_rows, picks, &result);
  *out = std::move(result);
}

void SetModel::RunTiles(Context const& ctx, PredictTask const& task, SetPlan const& plan, std::int64_t tile_bytes,
                        float* out) const {
  auto const n_rows = task.rows.NumRows();
  auto const n_slots = forest_.NumSlots();
  auto const width = plan.RowFloats();
  auto tiles = idle_.Take();
  CudaContext const cuda{on_device_.DeviceOrdinal(), nullptr};
  auto const budget = tile_bytes > 0
                          ? tile_bytes
                          : static_cast<std::int64_t>(FreeBytes(cuda) + tiles->Bytes()) / (2 * TilesInFlight::kMost);
  auto const tile_rows = RowsOfTile(n_rows, 4 * width, budget / (8 * n_slots + plan.RowBytes()));
  for (std::int64_t number = 0, begin = 0; begin < n_rows; begin += tile_rows, ++number) {
    auto const end = std::min(n_rows, begin + tile_rows);
    auto& session = tiles->Take(ctx, number);
    auto const* on_device = task.rows.OnDevice();
    auto const rows = on_device != nullptr ? RowsFrom(RowsOn(session.Cuda(), *on_device), begin, end)
                                           : session.Upload(ctx, forest_, task.rows, begin, end);
    Buffer<std::int32_t> const key_memory(session.Cuda(), ToSize((end - begin) * n_slots));
    RowKeys const keys{key_memory.data(), end - begin, 1, end - begin};
    ReadRowKeys(session.Cuda(), on_device_.View(), rows, keys);
    auto const size = ToSize((end - begin) * width);
    plan.Compute(session.Cuda(), keys, session.Output(size));
    tiles->Send(ctx, number, size, out + begin * width);
  }
  tiles->Finish(ctx);
  idle_.Keep(std::move(tiles));
}

}  // namespace kauri::cuda
