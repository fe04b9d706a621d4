/// Rows in tiles with results for the host, two in flight, each on a stream of its own:
/// 1. The host copies a tile's rows, unless they are on the device, into page-locked memory, and leaves the bus, the
///    kernels and the results' way back to the stream.
/// 2. It does the same with the next tile on the other stream, whose first blocks run beside the other's last.
/// 3. It waits for the first tile, copies its results to where they belong, and takes the next rows.
///
/// What nothing hides is the first tile's way in and the last one's way out. Floor, 1 M rows of 8 features and 9
/// results over 8 devices with 100 trees of depth 8: kernels 23 ms (5.5 M rows/s and device, measured on an H100); of
/// 4 + 4.5 MB for each device, two tiles, half are not hidden: 0.2 ms of the bus at 25 GB/s, 0.5 ms of one host thread
/// at 10 GB/s, or 0.1 ms of several.
#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "cuda/common/memory_plan.h"
#include "cuda/forest/device_storage_rows.h"
#include "cuda/shap/shap_model.h"
#include "cuda/shap/shap_session.h"
#include "predictor/output_width.h"
#include "predictor/predictor_param.h"

namespace kauri::cuda {
namespace {

/// Of features or of results in one tile.
constexpr std::int64_t kBytesPerTile = 4 << 20;
/// Of wide rows; fewer would leave multiprocessors without work.
constexpr std::int64_t kMinTileRows = 4096;
/// Rows of a block.
constexpr std::int64_t kBlockRows = 128;
constexpr std::int64_t kTilesInFlight = 2;

/// Tiles of about the same size, none above the number of rows that device memory has room for.
std::int64_t RowsPerTile(std::int64_t n_rows, std::int64_t bytes_per_row, std::int64_t most_rows) {
  auto const wanted = std::max(kMinTileRows, kBytesPerTile / std::max<std::int64_t>(1, bytes_per_row));
  auto const limit = std::max<std::int64_t>(1, std::min(wanted, most_rows));
  auto const n_tiles = (n_rows + limit - 1) / limit;
  auto const even = (n_rows + n_tiles - 1) / n_tiles;
  return std::min(limit, (even + kBlockRows - 1) / kBlockRows * kBlockRows);
}

/// Of one of the tiles in flight.
std::int64_t TileBytes(ShapSession const& session, ShapOptions const& options) {
  if (options.tile_bytes > 0) return options.tile_bytes / kTilesInFlight;
  return static_cast<std::int64_t>(FreeBytes(session.Cuda()) + session.Bytes()) / (2 * kTilesInFlight);
}

/// Of a row's values that are picked from.
std::int64_t ValueBytes(SparsePlan const* sparse) {
  return sparse != nullptr && sparse->TopK() != 0 ? 4 * sparse->Entries().View().row_floats : 0;
}

}  // namespace

std::unique_ptr<ShapSession> ShapModel::TakeSession() const {
  std::lock_guard<std::mutex> const lock(mutex_);
  if (idle_.empty()) return std::make_unique<ShapSession>(on_device_.DeviceOrdinal());
  auto session = std::move(idle_.back());
  idle_.pop_back();
  return session;
}

void ShapModel::KeepSession(std::unique_ptr<ShapSession> session) const {
  std::lock_guard<std::mutex> const lock(mutex_);
  idle_.push_back(std::move(session));
}

void ShapModel::ExplainHostRows(Context const& ctx, ShapOptions const& options, HostShapTask const& task) const {
  if (options.method == ShapMethod::kTreeShap) CheckTreeShapComputes(task.kind);
  auto const n_rows = task.rows.NumRows();
  if (n_rows == 0) return;
  DeviceScope const scope(on_device_.DeviceOrdinal());
  auto const facts = parts_.Facts(ctx, task.trees);  // before the sessions, whose work reads it
  auto const* sparse = task.sparse;
  auto const width = sparse != nullptr ? sparse->RowFloats()
                                       : OutputWidth(forest_.n_outputs, forest_.n_features, task.kind, task.trees);
  auto const n_slots = forest_.NumSlots();
  std::array<std::unique_ptr<ShapSession>, kTilesInFlight> sessions{TakeSession()};
  auto const tile_bytes = TileBytes(*sessions[0], options);
  auto const row_bytes = 4 * (n_slots + width + forest_.n_outputs) + BytesPerRow(ctx, task.kind) + ValueBytes(sparse);
  auto const tile_rows = RowsPerTile(n_rows, 4 * std::max(n_slots, width), tile_bytes / row_bytes);
  std::size_t turn = 0;
  for (std::int64_t begin = 0; begin < n_rows; begin += tile_rows, turn = 1 - turn) {
    auto const end = std::min(n_rows, begin + tile_rows);
    if (sessions[turn] == nullptr) sessions[turn] = TakeSession();
    auto* const session = sessions[turn].get();
    session->EndDownload(ctx);
    ShapTask tile{{}, task.kind, task.trees, nullptr, !task.start.of_row.empty(), nullptr};
    tile.start = session->UploadStart(task.start, forest_.n_outputs, begin, end);
    auto const* on_device = task.rows.OnDevice();
    tile.rows = on_device != nullptr ? RowsFrom(RowsOn(session->Cuda(), *on_device), begin, end)
                                     : session->Upload(ctx, forest_, task.rows, begin, end);
    auto const size = static_cast<std::size_t>((end - begin) * width);
    tile.out = session->Output(size);
    if (sparse == nullptr) {
      ExplainTile(ctx, session->Cuda(), options, tile, *facts);
    } else {
      ExplainSparseTile(ctx, session->Cuda(), options, tile, {*facts, *sparse});
    }
    session->BeginDownload(size, task.out.data() + begin * width);
  }
  for (std::int64_t i = 0; i < kTilesInFlight; ++i, turn = 1 - turn) {
    if (sessions[turn] == nullptr) continue;
    sessions[turn]->EndDownload(ctx);
    KeepSession(std::move(sessions[turn]));
  }
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
