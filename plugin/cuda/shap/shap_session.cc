#include "cuda/shap/shap_session.h"

#include <algorithm>

#include "common/parallel_for.h"
#include "cuda/predictor/host_rows.h"

namespace kauri::cuda {
namespace {

/// Floats that cross the bus at a time, through page-locked memory.
constexpr std::size_t kPieceFloats = std::size_t{8} << 20U;
/// What a host thread copies at a time.
constexpr std::int64_t kBlockRows = 1024;
constexpr std::int64_t kBlockFloats = 1 << 16;

std::size_t At(std::int64_t index) { return static_cast<std::size_t>(index); }

void CopyFloats(Context const& ctx, float const* from, std::size_t size, float* to) {
  ParallelForBlocks(
      ctx, static_cast<std::int64_t>(size), kBlockFloats,
      [&](std::int64_t begin, std::int64_t end, std::int64_t) { std::copy(from + begin, from + end, to + begin); });
}

}  // namespace

DeviceRows ShapSession::Upload(Context const& ctx, Forest const& forest, DataView const& rows, std::int64_t begin,
                               std::int64_t end) {
  auto const n_slots = forest.NumSlots();
  features_.Reserve(Cuda(), At((end - begin) * n_slots));
  auto const piece =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(kPieceFloats) / std::max<std::int64_t>(1, n_slots));
  auto& pinned = pinned_[0];
  for (auto first = begin; first < end && n_slots > 0; first += piece) {
    auto const last = std::min(end, first + piece);
    pinned.Reserve(At((last - first) * n_slots));
    ParallelForBlocks(ctx, last - first, kBlockRows, [&](std::int64_t row, std::int64_t row_end, std::int64_t) {
      CopySlots(forest, rows, first + row, first + row_end, pinned.data() + row * n_slots);
    });
    CopyToDevice(Cuda(), pinned.data(), At((last - first) * n_slots), features_.data() + (first - begin) * n_slots);
    Cuda().Synchronize();  // for `pinned`, which the next piece overwrites
  }
  DeviceRows tile;
  tile.n_rows = end - begin;
  tile.n_cols = n_slots;
  tile.values = features_.data();
  tile.row_stride = n_slots;
  tile.columns_are_slots = true;
  return tile;
}

float const* ShapSession::UploadStart(MarginStart const& start, std::int64_t n_outputs, std::int64_t begin,
                                      std::int64_t end) {
  auto const is_of_row = !start.of_row.empty();
  auto const* from = is_of_row ? start.of_row.data() + begin * n_outputs : start.of_output.data();
  auto const size = At(is_of_row ? (end - begin) * n_outputs : n_outputs);
  start_.Reserve(Cuda(), size);
  CopyToDevice(Cuda(), from, size, start_.data());
  return start_.data();
}

float* ShapSession::Output(std::size_t size) {
  out_.Reserve(Cuda(), size);
  return out_.data();
}

void ShapSession::Download(Context const& ctx, std::size_t size, float* to) {
  std::size_t ready_begin = 0;
  std::size_t ready = 0;  // floats of the piece before, in the other buffer
  std::size_t turn = 0;
  for (std::size_t begin = 0; begin < size; begin += kPieceFloats, turn = 1 - turn) {
    auto const piece = std::min(kPieceFloats, size - begin);
    pinned_[turn].Reserve(piece);
    CopyToHost(Cuda(), out_.data() + begin, piece, pinned_[turn].data());
    CopyFloats(ctx, pinned_[1 - turn].data(), ready, to + ready_begin);
    Cuda().Synchronize();  // for the piece
    ready_begin = begin;
    ready = piece;
  }
  CopyFloats(ctx, pinned_[1 - turn].data(), ready, to + ready_begin);
}

}  // namespace kauri::cuda
