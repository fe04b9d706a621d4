#include "cuda/forest/host_rows.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "common/threads/parallel_for.h"
#include "cuda/common/fill_margins.h"
#include "cuda/common/memory_plan.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/data/cuda_memory.h"
#include "cuda/forest/walk_forest.h"

namespace kauri::cuda {
namespace {

/// Size of a tile, of its features or its output: large against the cost of a launch, small against the whole.
constexpr std::int64_t kBytesPerTile = 16 << 20;
/// Rows that a host thread copies at a time.
constexpr std::int64_t kHostBlock = 2048;
/// Floats of a scratch buffer for whole rows, from which their slots are taken.
constexpr std::int64_t kScratchFloats = 1 << 16;

/// A tile under way: features in, then margins in and out, or leaves out.
class TileInFlight {
 public:
  explicit TileInFlight(int device) : stream_(device) {}

  void Begin(Context const& ctx, DeviceForest const& on_device, HostRowsTask const& task, std::int64_t begin,
             std::int64_t end) {
    auto const& forest = on_device.OnHost();
    begin_ = begin;
    end_ = end;
    auto const& cuda = stream_.Context();
    auto const n_rows = end - begin;
    auto const n_slots = forest.NumSlots();
    auto const width = task.kind == PredictKind::kLeaf ? forest.LeafWidth(task.trees) : forest.n_outputs;
    n_out_ = ToSize(n_rows * width);
    host_features_.Reserve(ToSize(n_rows * n_slots));
    host_out_.Reserve(n_out_);
    features_.Reserve(cuda, ToSize(n_rows * n_slots));
    out_.Reserve(cuda, n_out_);
    ParallelForBlocks(ctx, n_rows, kHostBlock, [&](std::int64_t first, std::int64_t last, std::int64_t) {
      CopySlots(forest, task.rows, begin + first, begin + last, host_features_.data() + first * n_slots);
      if (task.kind == PredictKind::kMargin) CopyStart(task.start, forest.n_outputs, first, last);
    });
    CopyToDevice(cuda, host_features_.data(), ToSize(n_rows * n_slots), features_.data());
    if (task.kind == PredictKind::kMargin) CopyToDevice(cuda, host_out_.data(), n_out_, out_.data());
    DeviceRows rows;
    rows.n_rows = n_rows;
    rows.n_cols = n_slots;
    rows.values = features_.data();
    rows.row_stride = n_slots;
    rows.columns_are_slots = true;
    WalkForest(cuda, on_device, rows, task.kind, task.trees, out_.data());
    CopyToHost(cuda, out_.data(), n_out_, host_out_.data());
  }

  /// Returns the device memory that a tile of this size needs beyond the present buffers.
  std::size_t Growth(std::size_t n_features, std::size_t n_out) const {
    auto const grow = [](std::size_t wanted, std::size_t there) { return wanted > there ? wanted - there : 0; };
    return sizeof(float) * (grow(n_features, features_.size()) + grow(n_out, out_.size()));
  }
  CudaContext const& Cuda() const { return stream_.Context(); }

  /// Waits for the tile, if there is one, and copies its output to the caller.
  void End(Context const& ctx, HostRowsTask const& task) {
    if (begin_ == end_) return;
    stream_.Context().Synchronize();  // for host_out_
    auto const width = static_cast<std::int64_t>(n_out_) / (end_ - begin_);
    auto* const to = task.out.data() + begin_ * width;
    auto const* const from = host_out_.data();
    auto const block = kHostBlock * 16;
    ParallelForBlocks(ctx, static_cast<std::int64_t>(n_out_), block, [&](std::int64_t first, std::int64_t last, auto) {
      std::copy(from + first, from + last, to + first);
    });
    begin_ = end_ = 0;
  }

  /// Waits after an error, so that nothing writes to the buffers when they are used again.
  void Abandon() {
    cudaStreamSynchronize(stream_.Context().stream);
    begin_ = end_ = 0;
  }

 private:
  void CopyStart(MarginStart const& start, std::int64_t n_outputs, std::int64_t first, std::int64_t last) {
    for (auto element = first * n_outputs; element < last * n_outputs; ++element) {
      host_out_.data()[element] =
          start.of_row.empty() ? start.of_output[element % n_outputs] : start.of_row[begin_ * n_outputs + element];
    }
  }

  StreamOwner stream_;  ///< before the buffers, which are freed on it
  PinnedBuffer<float> host_features_;
  PinnedBuffer<float> host_out_;
  Buffer<float> features_;
  Buffer<float> out_;
  std::size_t n_out_ = 0;
  std::int64_t begin_ = 0;
  std::int64_t end_ = 0;
};

void FillStart(CudaContext const& cuda, MarginStart const& start, Span<float> margins) {
  if (!start.of_row.empty()) return CopyToDevice(cuda, start.of_row.data(), start.of_row.size(), margins.data());
  Buffer<float> const of_output(cuda, start.of_output.size());
  CopyToDevice(cuda, start.of_output.data(), start.of_output.size(), of_output.data());
  FillMargins(cuda, of_output.span(), margins);
}

}  // namespace

void CopySlots(Forest const& forest, DataView const& rows, std::int64_t begin, std::int64_t end, float* tile) {
  auto const n_slots = forest.NumSlots();
  auto const n_used_cols = static_cast<std::int64_t>(forest.slot_of_feature.size());
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
  explicit HostRowsSession(int device) : tiles_{TileInFlight(device), TileInFlight(device)} {}

  void Run(Context const& ctx, DeviceForest const& forest, HostRowsTask const& task) {
    try {
      RunTiles(ctx, forest, task);
    } catch (...) {
      for (auto& tile : tiles_) tile.Abandon();
      throw;
    }
  }

 private:
  void RunTiles(Context const& ctx, DeviceForest const& forest, HostRowsTask const& task) {
    auto const n_rows = task.rows.NumRows();
    if (n_rows == 0) return;
    auto const width = static_cast<std::int64_t>(task.out.size()) / n_rows;
    auto const n_slots = forest.OnHost().NumSlots();
    auto const row_bytes = std::max<std::int64_t>(1, 4 * std::max(n_slots, width));
    auto const tile_rows = std::max<std::int64_t>(1, kBytesPerTile / row_bytes);
    RequireTiles(std::min(n_rows, tile_rows), n_slots, width, n_rows > tile_rows ? 2 : 1);
    std::size_t next = 0;
    for (std::int64_t begin = 0; begin < n_rows; begin += tile_rows) {
      tiles_[next].End(ctx, task);
      tiles_[next].Begin(ctx, forest, task, begin, std::min(n_rows, begin + tile_rows));
      next = 1 - next;
    }
    for (int last = 0; last < 2; ++last, next = 1 - next) tiles_[next].End(ctx, task);
  }

  /// Fails unless the tiles fit into memory. Sessions keep their tiles, so only the first call queries the free memory.
  void RequireTiles(std::int64_t tile_rows, std::int64_t n_slots, std::int64_t width, std::size_t n_tiles) const {
    std::vector<MemoryPart> parts;
    std::size_t growth = 0;
    for (std::size_t tile = 0; tile < n_tiles; ++tile) {
      parts.push_back({"tile", tiles_[tile].Growth(ToSize(tile_rows * n_slots), ToSize(tile_rows * width))});
      growth += parts.back().bytes;
    }
    if (growth == 0) return;
    auto const& cuda = tiles_[0].Cuda();
    RequireMemory(cuda, "prediction in tiles of " + std::to_string(tile_rows) + " rows", parts);
  }

  std::array<TileInFlight, 2> tiles_;
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
