#include "cuda/forest/host_rows.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <limits>
#include <string>
#include <utility>

#include "common/threads/parallel_for.h"
#include "cuda/common/event.h"
#include "cuda/common/fill_margins.h"
#include "cuda/common/memory_plan.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/data/cuda_memory.h"
#include "cuda/forest/forest_walk.h"
#include "cuda/forest/walk_forest.h"

namespace kauri::cuda {
namespace {

/// Size of a tile, of its features or its output: 84 us of the bus, beside 15 us in which a thread queues it.
constexpr std::int64_t kBytesPerTile = 4 << 20;
/// Largest number of blocks of a tile, which host threads copy one by one.
constexpr std::int64_t kMostBlocks = 16;
/// Tiles in flight at most: some are copied by the host, one is on the bus, one is traversed, one returns.
constexpr std::int64_t kMostTiles = 6;
/// Floats of a scratch buffer for whole rows, from which their slots are taken.
constexpr std::int64_t kScratchFloats = 1 << 16;

/// The parts of a call. Tile t has the blocks from t * tile_blocks on.
struct TilePlan {
  std::int64_t n_rows;
  TileForm form;
  std::int64_t width;        ///< floats of a row's output
  std::int64_t block_rows;   ///< rows of a block; the last has fewer
  std::int64_t tile_blocks;  ///< blocks of a tile; the last has fewer
  std::int64_t n_blocks;
  std::int64_t n_tiles;
  std::int64_t n_in_flight;

  TilePlan(std::int64_t rows, TileForm const& form_of_rows, std::int64_t output_width)
      : n_rows(rows), form(form_of_rows), width(output_width) {
    auto const row_bytes = std::max<std::int64_t>(1, 4 * std::max(form.n_cols, width));
    block_rows = std::clamp<std::int64_t>(kBytesPerTile / kMostBlocks / row_bytes, 1, n_rows);
    tile_blocks = std::clamp<std::int64_t>(kBytesPerTile / row_bytes, 1, kMostBlocks);
    n_blocks = NumBlocks(n_rows, block_rows);
    n_tiles = NumBlocks(n_blocks, tile_blocks);
    n_in_flight = std::min(n_tiles, kMostTiles);
  }
  std::int64_t FirstRow(std::int64_t tile) const { return tile * tile_blocks * block_rows; }
  std::int64_t RowsOf(std::int64_t tile) const { return std::min(n_rows, FirstRow(tile + 1)) - FirstRow(tile); }
  std::int64_t BlocksOf(std::int64_t tile) const {
    return std::min(n_blocks, (tile + 1) * tile_blocks) - tile * tile_blocks;
  }
};

/// Buffers of one tile at a time: features in, margins or leaves out.
class TileMemory {
 public:
  explicit TileMemory(int device) : stream_(device), done_(device) {}

  CudaContext const& Cuda() const { return stream_.Context(); }
  /// Host memory of the tile, [n_rows, form.n_cols] and [n_rows, width].
  float* Features() const { return host_features_.data(); }
  float* Out() const { return host_out_.data(); }

  /// Returns the device memory that a tile of this size needs beyond the present buffers.
  std::size_t Growth(std::size_t n_features, std::size_t n_out) const {
    auto const grow = [](std::size_t wanted, std::size_t there) { return wanted > there ? wanted - there : 0; };
    return sizeof(float) * (grow(n_features, features_.size()) + grow(n_out, out_.size()));
  }
  void Reserve(std::size_t n_features, std::size_t n_out) {
    host_features_.Reserve(n_features);
    host_out_.Reserve(n_out);
    features_.Reserve(Cuda(), n_features);
    out_.Reserve(Cuda(), n_out);
  }

  /// Queues the way of the tile's rows to the device, the traversal, and the way of its output back. start: [n_outputs]
  /// in device memory, at which all margins start; empty: Out() has the margins at which they start, or leaves have
  /// none.
  void Send(ForestWalk const& walk, HostRowsTask const& task, std::int64_t n_rows, TilePlan const& plan,
            Span<float const> start) {
    auto const n_out = ToSize(n_rows * plan.width);
    CopyToDevice(Cuda(), Features(), ToSize(n_rows * plan.form.n_cols), features_.data());
    if (!start.empty()) {
      FillMargins(Cuda(), start, {out_.data(), n_out});
    } else if (task.kind == PredictKind::kMargin) {
      CopyToDevice(Cuda(), Out(), n_out, out_.data());
    }
    walk.Run(Cuda(), plan.form.Table(features_.data(), n_rows), out_.data());
    CopyToHost(Cuda(), out_.data(), n_out, Out());
    done_.Record(Cuda());
  }
  /// Waits for the output of the last tile sent.
  void Wait() const { done_.Wait(); }
  /// Waits after an error, so that nothing writes to the buffers when they are used again.
  void Settle() const { cudaStreamSynchronize(Cuda().stream); }

 private:
  StreamOwner stream_;  ///< before the buffers, which are freed on it
  PinnedBuffer<float> host_features_;
  PinnedBuffer<float> host_out_;
  Buffer<float> features_;
  Buffer<float> out_;
  Event done_;
};

/// Which tiles have been sent. Threads wait here for a tile whose blocks others still copy.
///
/// A block depends only on blocks before it. When one fails, blocks behind it give up and blocks before it go on: so
/// the first block in order that fails is always found, and its error reported.
class TileProgress {
 public:
  explicit TileProgress(TilePlan const& plan)
      : is_sent_(ToSize(plan.n_tiles), false), n_copied_(ToSize(plan.n_tiles)) {}

  /// Notes that a block of the tile has been copied; returns the number of such blocks.
  std::int64_t CountCopied(std::int64_t tile) { return ++n_copied_[ToSize(tile)]; }
  void MarkSent(std::int64_t tile) {
    {
      std::lock_guard<std::mutex> const lock(mutex_);
      is_sent_[ToSize(tile)] = true;
    }
    changed_.notify_all();
  }
  void MarkFailed(std::int64_t block) {
    {
      std::lock_guard<std::mutex> const lock(mutex_);
      first_failed_ = std::min(first_failed_, block);
    }
    changed_.notify_all();
  }
  /// Waits until the tile was sent, for a block of a later tile. Returns false if a block before that block failed.
  bool WaitUntilSent(std::int64_t tile, std::int64_t for_block) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return is_sent_[ToSize(tile)] || first_failed_ < for_block; });
    return first_failed_ >= for_block;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<bool> is_sent_;
  std::int64_t first_failed_ = std::numeric_limits<std::int64_t>::max();
  std::vector<std::atomic<std::int64_t>> n_copied_;
};

/// Writes the margins at which rows [begin, end) start, [end - begin, n_outputs].
void CopyStart(MarginStart const& start, std::int64_t n_outputs, std::int64_t begin, std::int64_t end, float* to) {
  for (auto element = begin * n_outputs; element < end * n_outputs; ++element) {
    *to++ = start.of_row.empty() ? start.of_output[element % n_outputs] : start.of_row[element];
  }
}

void FillStart(CudaContext const& cuda, MarginStart const& start, Span<float> margins) {
  if (!start.of_row.empty()) return CopyToDevice(cuda, start.of_row.data(), start.of_row.size(), margins.data());
  Buffer<float> const of_output(cuda, start.of_output.size());
  CopyToDevice(cuda, start.of_output.data(), start.of_output.size(), of_output.data());
  FillMargins(cuda, of_output.span(), margins);
}

}  // namespace

TileForm::TileForm(Forest const& forest, DataView const& rows) : n_cols(forest.NumSlots()), columns_are_slots(true) {
  auto const n_used_cols = static_cast<std::int64_t>(forest.slot_of_feature.size());
  auto const most = n_cols + n_cols / 4;
  if (n_cols == n_used_cols || n_used_cols > most) return;
  if (rows.CopyFeatures(0, 0, forest.slot_of_feature, n_cols, nullptr)) return;  // the view picks slots itself
  n_cols = n_used_cols;
  columns_are_slots = false;
}

DeviceRows TileForm::Table(float const* values, std::int64_t n_rows) const {
  DeviceRows rows;
  rows.n_rows = n_rows;
  rows.n_cols = n_cols;
  rows.values = values;
  rows.row_stride = n_cols;
  rows.columns_are_slots = columns_are_slots;
  return rows;
}

void TileForm::Copy(Forest const& forest, DataView const& rows, std::int64_t begin, std::int64_t end,
                    float* tile) const {
  auto const n_slots = forest.NumSlots();
  auto const n_used_cols = static_cast<std::int64_t>(forest.slot_of_feature.size());
  if (!columns_are_slots) return rows.CopyRows(begin, end, n_cols, tile);
  if (n_slots == 0 || rows.CopyFeatures(begin, end, forest.slot_of_feature, n_slots, tile)) return;
  if (n_slots == n_used_cols) return rows.CopyRows(begin, end, n_used_cols, tile);
  auto const chunk = std::clamp<std::int64_t>(kScratchFloats / n_used_cols, 1, end - begin);
  std::vector<float> scratch(chunk * n_used_cols);
  for (auto row = begin; row < end; row += chunk) {
    auto const n_rows = std::min(chunk, end - row);
    rows.CopyRows(row, row + n_rows, n_used_cols, scratch.data());
    for (auto const* values = scratch.data(); values < scratch.data() + n_rows * n_used_cols; values += n_used_cols) {
      for (auto const feature : forest.feature_of_slot) *tile++ = values[feature];
    }
  }
}

class HostRowsSession {
 public:
  explicit HostRowsSession(int device) : device_(device) {}

  void Run(Context const& ctx, DeviceForest const& forest, HostRowsTask const& task) {
    auto const n_rows = task.rows.NumRows();
    if (n_rows == 0) return;
    TilePlan const plan(n_rows, TileForm(forest.OnHost(), task.rows),
                        static_cast<std::int64_t>(task.out.size()) / n_rows);
    Reserve(plan);
    auto const& cuda = tiles_[0]->Cuda();
    ForestWalk const walk(cuda, forest, task.kind, task.trees, plan.RowsOf(0));
    // One tile's margins are set by the host: a launch costs more than their bytes.
    auto const fills = task.kind == PredictKind::kMargin && task.start.of_row.empty() && plan.n_tiles > 1;
    Buffer<float> const start(cuda, fills ? task.start.of_output.size() : 0);
    CopyToDevice(cuda, task.start.of_output.data(), start.size(), start.data());
    Call call{ctx, task, plan, walk, start.span(), {}, TileProgress(plan)};
    for (std::int64_t i = 0; i < plan.n_in_flight; ++i) call.tiles.push_back(tiles_[ToSize(i)].get());
    try {
      for (std::int64_t i = 1; i < plan.n_in_flight; ++i) WaitFor(tiles_[ToSize(i)]->Cuda(), cuda.stream);
      RunTiles(&call);
    } catch (...) {
      for (auto const* tile : call.tiles) tile->Settle();
      throw;
    }
  }

 private:
  struct Call {
    Context const& ctx;
    HostRowsTask const& task;
    TilePlan const& plan;
    ForestWalk const& walk;
    Span<float const> start;  ///< see TileMemory::Send
    std::vector<TileMemory*> tiles;
    TileProgress progress;

    TileMemory* Of(std::int64_t tile) const { return tiles[ToSize(tile % plan.n_in_flight)]; }
  };

  /// Threads take blocks in order. A block waits for the tile that had its memory before, takes the output of the block
  /// in the same place there, and copies its rows in. Whoever copies the last block of a tile sends it. A last tile of
  /// few blocks leaves output of the tile before it, which is taken at the end.
  static void RunTiles(Call* call) {
    auto const& plan = call->plan;
    ParallelForBlocks(call->ctx, plan.n_rows, plan.block_rows,
                      [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
                        try {
                          CopyBlock(call, begin, end, block);
                        } catch (...) {
                          call->progress.MarkFailed(block);
                          throw;
                        }
                      });
    auto const first = std::max<std::int64_t>(0, plan.n_blocks - plan.n_in_flight * plan.tile_blocks);
    ParallelFor(call->ctx, plan.n_blocks - first, [&](std::int64_t left) {
      auto const block = first + left;
      call->Of(block / plan.tile_blocks)->Wait();  // for the output
      TakeOutput(*call, block);
    });
  }

  static void CopyBlock(Call* call, std::int64_t begin, std::int64_t end, std::int64_t block) {
    auto const& plan = call->plan;
    auto const& task = call->task;
    auto const tile = block / plan.tile_blocks;
    auto* const memory = call->Of(tile);
    if (auto const before = tile - plan.n_in_flight; before >= 0) {
      if (!call->progress.WaitUntilSent(before, block)) return;
      memory->Wait();  // for the output, and for the features to be read
      TakeOutput(*call, block - plan.n_in_flight * plan.tile_blocks);
    }
    auto const in_tile = begin - plan.FirstRow(tile);
    auto* const features = memory->Features() + in_tile * plan.form.n_cols;
    plan.form.Copy(call->walk.OnHost(), task.rows, begin, end, features);
    if (task.kind == PredictKind::kMargin && call->start.empty()) {
      CopyStart(task.start, plan.width, begin, end, memory->Out() + in_tile * plan.width);
    }
    if (call->progress.CountCopied(tile) < plan.BlocksOf(tile)) return;
    DeviceScope const scope(memory->Cuda().device);
    memory->Send(call->walk, task, plan.RowsOf(tile), plan, call->start);
    call->progress.MarkSent(tile);
  }

  /// Copies the output of a block, which has arrived, to the caller.
  static void TakeOutput(Call const& call, std::int64_t block) {
    auto const& plan = call.plan;
    auto const begin = block * plan.block_rows;
    auto const end = std::min(plan.n_rows, begin + plan.block_rows);
    auto const tile = block / plan.tile_blocks;
    auto const* const out = call.Of(tile)->Out() - plan.FirstRow(tile) * plan.width;
    std::copy(out + begin * plan.width, out + end * plan.width, call.task.out.data() + begin * plan.width);
  }

  /// Makes room for the tiles. Sessions keep their tiles, so only the first call queries the free memory. \throws
  /// Error(kMemory) before anything is allocated.
  void Reserve(TilePlan const& plan) {
    while (static_cast<std::int64_t>(tiles_.size()) < plan.n_in_flight) {
      tiles_.push_back(std::make_unique<TileMemory>(device_));
    }
    auto const tile_rows = plan.RowsOf(0);
    auto const n_features = ToSize(tile_rows * plan.form.n_cols);
    auto const n_out = ToSize(tile_rows * plan.width);
    std::vector<MemoryPart> parts;
    std::size_t growth = 0;
    for (std::int64_t i = 0; i < plan.n_in_flight; ++i) {
      parts.push_back({"tile", tiles_[ToSize(i)]->Growth(n_features, n_out)});
      growth += parts.back().bytes;
    }
    if (growth > 0) {
      RequireMemory(tiles_[0]->Cuda(), "prediction in tiles of " + std::to_string(tile_rows) + " rows", parts);
    }
    for (std::int64_t i = 0; i < plan.n_in_flight; ++i) tiles_[ToSize(i)]->Reserve(n_features, n_out);
  }

  int device_;
  std::vector<std::unique_ptr<TileMemory>> tiles_;
};

HostRowsPredictor::HostRowsPredictor(DeviceForest const& forest) : forest_(forest) {}

HostRowsPredictor::~HostRowsPredictor() = default;

void HostRowsPredictor::Predict(Context const& ctx, HostRowsTask const& task) const {
  DeviceScope const scope(forest_.DeviceOrdinal());
  std::unique_ptr<HostRowsSession> session;
  {
    std::lock_guard<std::mutex> const lock(mutex_);
    if (!idle_.empty()) {
      session = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (session == nullptr) session = std::make_unique<HostRowsSession>(forest_.DeviceOrdinal());
  session->Run(ctx, forest_, task);
  std::lock_guard<std::mutex> const lock(mutex_);
  idle_.push_back(std::move(session));
}

DeviceRows RowsOn(CudaContext const& cuda, DeviceStorage const& storage) {
  auto const& layout = LayoutOn(cuda, storage);
  DeviceRows rows;
  rows.n_rows = layout.n_rows;
  rows.n_cols = layout.n_cols;
  rows.values = layout.values;
  rows.row_stride = layout.row_stride;
  rows.col_stride = layout.col_stride;
  return rows;
}

std::unique_ptr<OwnedFloats> PredictDeviceRows(DeviceForest const& forest, DeviceStorage const& storage,
                                               PredictKind kind, TreeRange trees, MarginStart const& start) {
  auto const device = forest.DeviceOrdinal();
  DeviceScope const scope(device);
  auto const rows = RowsOn({device, nullptr}, storage);
  auto const width = kind == PredictKind::kLeaf ? forest.OnHost().LeafWidth(trees) : forest.OnHost().n_outputs;
  auto result = std::make_unique<OwnedFloats>(device, rows.n_rows * width);
  auto const& cuda = result->Cuda();
  if (kind == PredictKind::kMargin) FillStart(cuda, start, result->Values());
  WalkForest(cuda, forest, rows, kind, trees, result->Values().data());
  return result;
}

}  // namespace kauri::cuda
