/// Explains rows in tiles with results for the host. Three tiles are in flight, each on a stream of its own:
/// 1. The host copies a tile's rows into page-locked memory, unless they are on the device. The transfer, the kernels
///    and the results' way back are left to the stream.
/// 2. The host does the same with the next tile on another stream, whose first blocks run beside the last blocks of the
///    other stream.
/// 3. Before the host reuses the stream of a tile, it copies that tile's results to their destination (host_results.h).
///    Meanwhile the kernels of one tile run and the results of another cross the bus.
///
/// Only the first tile's way in and the last tile's way out are not overlapped. A tile is therefore an eighth of the
/// whole, but no smaller than the work that the host needs to begin one (about 0.1 ms, 4 MiB of the bus), and no larger
/// than the page-locked buffers.
#include <algorithm>
#include <memory>
#include <utility>

#include "cuda/common/memory_plan.h"
#include "cuda/forest/host_rows.h"
#include "cuda/shap/shap_model.h"
#include "cuda/shap/shap_session.h"
#include "predictor/predictors.h"

namespace kauri::cuda {
namespace {

/// Limits on the size of a tile: the bytes of its features or of its results, whichever are more.
constexpr std::int64_t kLeastTileBytes = 4 << 20;
constexpr std::int64_t kMostTileBytes = 32 << 20;
/// Number of tiles of a call, unless its tiles would be smaller or larger than these limits.
constexpr std::int64_t kWantedTiles = 8;
/// Rows of a thread block.
constexpr std::int64_t kBlockRows = 128;

/// Returns the number of rows in a tile. Tiles have about the same size, none above the number of rows that fit into
/// device memory.
std::int64_t RowsPerTile(std::int64_t n_rows, std::int64_t bytes_per_row, std::int64_t most_rows) {
  auto const row_bytes = std::max<std::int64_t>(1, bytes_per_row);
  auto const tile_bytes = std::clamp(n_rows * row_bytes / kWantedTiles, kLeastTileBytes, kMostTileBytes);
  auto const wanted = std::max(kBlockRows, tile_bytes / row_bytes);
  auto const limit = std::max<std::int64_t>(1, std::min(wanted, most_rows));
  auto const n_tiles = (n_rows + limit - 1) / limit;
  auto const even = (n_rows + n_tiles - 1) / n_tiles;
  return std::min(limit, (even + kBlockRows - 1) / kBlockRows * kBlockRows);
}

/// A query for the free memory takes longer than a tile that needs no more than this number of bytes.
constexpr std::int64_t kWithoutAsking = 8 << 20;

/// Returns the device memory that one of the tiles in flight may take. wanted: the memory of all rows.
std::int64_t TileBytes(CudaContext const& cuda, TilesInFlight const& tiles, ShapOptions const& options,
                       std::int64_t wanted) {
  if (options.tile_bytes > 0) return options.tile_bytes / TilesInFlight::kMost;
  if (wanted <= kWithoutAsking) return wanted;
  return static_cast<std::int64_t>(FreeBytes(cuda) + tiles.Bytes()) / (2 * TilesInFlight::kMost);
}

/// Returns the bytes of a row's values from which the largest are picked.
std::int64_t ValueBytes(SparsePlan const* sparse) {
  return sparse != nullptr && sparse->TopK() != 0 ? 4 * sparse->Entries().View().row_floats : 0;
}

}  // namespace

std::int64_t ShapModel::TileRows(Context const& ctx, ShapOptions const& options, HostShapTask const& task,
                                 std::int64_t width, TilesInFlight const& tiles) const {
  auto const n_slots = forest_.NumSlots();
  auto const row_bytes =
      4 * (n_slots + width + forest_.n_outputs) + BytesPerRow(ctx, task.kind) + ValueBytes(task.sparse);
  auto const n_rows = task.rows.NumRows();
  auto const tile_bytes = TileBytes({on_device_.DeviceOrdinal(), nullptr}, tiles, options, n_rows * row_bytes);
  return RowsPerTile(n_rows, 4 * std::max(n_slots, width), tile_bytes / row_bytes);
}

void ShapModel::ExplainHostRows(Context const& ctx, ShapOptions const& options, HostShapTask const& task) const {
  if (options.method == ShapMethod::kTreeShap) CheckTreeShapComputes(task.kind);
  auto const n_rows = task.rows.NumRows();
  if (n_rows == 0) return;
  DeviceScope const scope(on_device_.DeviceOrdinal());
  auto const facts = parts_.Facts(ctx, task.trees);  // before the tiles, whose work reads it
  auto const* sparse = task.sparse;
  auto const width = sparse != nullptr ? sparse->RowFloats()
                                       : OutputWidth(forest_.n_outputs, forest_.n_features, task.kind, task.trees);
  auto tiles = idle_.Take();
  auto const tile_rows = TileRows(ctx, options, task, width, *tiles);
  for (std::int64_t number = 0, begin = 0; begin < n_rows; begin += tile_rows, ++number) {
    auto const end = std::min(n_rows, begin + tile_rows);
    auto& session = tiles->Take(ctx, number);
    ShapTask tile{{}, task.kind, task.trees, nullptr, !task.start.of_row.empty(), nullptr};
    tile.start = session.UploadStart(task.start, forest_.n_outputs, begin, end);
    auto const* on_device = task.rows.OnDevice();
    tile.rows = on_device != nullptr ? RowsFrom(RowsOn(session.Cuda(), *on_device), begin, end)
                                     : session.Upload(ctx, forest_, task.rows, begin, end);
    auto const size = static_cast<std::size_t>((end - begin) * width);
    tile.out = session.Output(size);
    if (sparse == nullptr) {
      ExplainTile(ctx, session.Cuda(), options, tile, *facts);
    } else {
      ExplainSparseTile(ctx, session.Cuda(), options, tile, {*facts, *sparse});
    }
    tiles->Send(ctx, number, size, task.out.data() + begin * width);
  }
  tiles->Finish(ctx);
  idle_.Keep(std::move(tiles));
}

void ShapModel::ExplainSparseTile(Context const& ctx, CudaContext const& cuda, ShapOptions const& options,
                                  ShapTask const& task, SparseParts const& parts) const {
  auto tile = task;
  tile.entries = &parts.plan.Entries();
  if (parts.plan.TopK() == 0) return ExplainTile(ctx, cuda, options, tile, parts.facts);
  Buffer<float> const values(cuda, static_cast<std::size_t>(task.rows.n_rows * Width(tile)));
  tile.out = values.data();
  ExplainTile(ctx, cuda, options, tile, parts.facts);
  parts.plan.Pick(cuda, values.data(), task.rows.n_rows, task.out);
}

void ShapModel::ExplainSparse(Context const& ctx, ShapOptions const& options, SparseShapTask const& task) const {
  DeviceScope const scope(on_device_.DeviceOrdinal());
  auto const plan = parts_.Sparse(ctx, task.trees, task.top_k);
  auto const n_rows = task.rows.NumRows();
  std::vector<float> picks(task.top_k == 0 ? 0 : static_cast<std::size_t>(n_rows * plan->RowFloats()));
  task.out->values.resize(task.top_k == 0 ? static_cast<std::size_t>(n_rows * plan->RowFloats()) : 0);
  Span<float> const out = task.top_k == 0 ? Span<float>(task.out->values) : Span<float>(picks);
  if (plan->RowFloats() > 0) {
    ExplainHostRows(ctx, options, {task.rows, PredictKind::kInteraction, task.trees, task.start, out, plan.get()});
  }
  plan->Fill(ctx, n_rows, picks, task.out);
}

}  // namespace kauri::cuda
