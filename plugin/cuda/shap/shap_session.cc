#include "cuda/shap/shap_session.h"

#include <algorithm>
#include <utility>

#include "common/threads/parallel_for.h"
#include "cuda/forest/host_rows.h"

namespace kauri::cuda {
namespace {

/// Floats of rows that cross the bus at a time, through page-locked memory.
constexpr std::int64_t kStagedFloats = 2 << 20;
/// Floats that a host thread copies at a time, and the maximum number of rows, which applies to narrow rows.
constexpr std::int64_t kBlockFloats = 1 << 16;
constexpr std::int64_t kBlockRows = 1024;

std::int64_t RowsOf(std::int64_t n_floats, std::int64_t n_cols) {
  return std::max<std::int64_t>(1, n_floats / std::max<std::int64_t>(1, n_cols));
}

}  // namespace

float const* ShapSession::UploadStart(MarginStart const& start, std::int64_t n_outputs, std::int64_t begin,
                                      std::int64_t end) {
  auto const is_of_row = !start.of_row.empty();
  auto const* from = is_of_row ? start.of_row.data() + begin * n_outputs : start.of_output.data();
  auto const size = ToSize(is_of_row ? (end - begin) * n_outputs : n_outputs);
  start_.Reserve(Cuda(), size);
  CopyToDevice(Cuda(), from, size, start_.data());
  return start_.data();
}

DeviceRows ShapSession::Upload(Context const& ctx, Forest const& forest, DataView const& rows, std::int64_t begin,
                               std::int64_t end) {
  TileForm const form(forest, rows);
  auto const n_cols = form.n_cols;
  features_.Reserve(Cuda(), ToSize((end - begin) * n_cols));
  auto const staged_rows = RowsOf(kStagedFloats, n_cols);
  auto const block_rows = std::min(kBlockRows, RowsOf(kBlockFloats, n_cols));
  std::size_t turn = 0;
  for (auto first = begin; first < end && n_cols > 0; first += staged_rows, turn = 1 - turn) {
    auto const last = std::min(end, first + staged_rows);
    auto& pinned = pinned_in_[turn];
    pinned.Reserve(ToSize((last - first) * n_cols));
    ParallelForBlocks(ctx, last - first, block_rows, [&](std::int64_t row, std::int64_t row_end, std::int64_t) {
      form.Copy(forest, rows, first + row, first + row_end, pinned.data() + row * n_cols);
    });
    if (first > begin) Cuda().Synchronize();  // for the rows staged before, whose memory the next rows reuse
    CopyToDevice(Cuda(), pinned.data(), ToSize((last - first) * n_cols), features_.data() + (first - begin) * n_cols);
  }
  return form.Table(features_.data(), end - begin);
}

float* ShapSession::Output(std::size_t size) {
  out_.Reserve(Cuda(), size);
  return out_.data();
}

ShapSession& TilesInFlight::Take(Context const& ctx, std::int64_t number) {
  auto& tile = Of(number);
  if (tile.session == nullptr) tile.session = std::make_unique<ShapSession>(device_);
  results_.Finish(ctx, tile.sent);
  return *tile.session;
}

void TilesInFlight::Send(Context const& ctx, std::int64_t number, std::size_t size, float* to) {
  auto& tile = Of(number);
  tile.sent = results_.Begin(ctx, tile.session->Cuda(), tile.session->Output(size), size, to);
}

std::size_t TilesInFlight::Bytes() const {
  std::size_t bytes = 0;
  for (auto const& tile : tiles_) bytes += tile.session == nullptr ? 0 : tile.session->Bytes();
  return bytes;
}

std::unique_ptr<TilesInFlight> IdleTiles::Take() const {
  std::lock_guard<std::mutex> const lock(mutex_);
  if (idle_.empty()) return std::make_unique<TilesInFlight>(device_);
  auto tiles = std::move(idle_.back());
  idle_.pop_back();
  return tiles;
}

void IdleTiles::Keep(std::unique_ptr<TilesInFlight> tiles) const {
  std::lock_guard<std::mutex> const lock(mutex_);
  idle_.push_back(std::move(tiles));
}

}  // namespace kauri::cuda
