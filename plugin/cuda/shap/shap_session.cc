#include "cuda/shap/shap_session.h"

#include <algorithm>

#include "common/parallel_for.h"
#include "cuda/forest/host_rows.h"

namespace kauri::cuda {
namespace {

/// Floats that cross the bus at a time, through page-locked memory.
constexpr std::size_t kStagedFloats = std::size_t{4} << 20U;
/// What a host thread copies at a time.
constexpr std::int64_t kBlockRows = 1024;
constexpr std::int64_t kBlockFloats = 1 << 16;

void CopyFloats(Context const& ctx, float const* from, std::size_t size, float* to) {
  ParallelForBlocks(
      ctx, static_cast<std::int64_t>(size), kBlockFloats,
      [&](std::int64_t begin, std::int64_t end, std::int64_t) { std::copy(from + begin, from + end, to + begin); });
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
  auto const n_slots = forest.NumSlots();
  features_.Reserve(Cuda(), ToSize((end - begin) * n_slots));
  auto const staged_rows =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(kStagedFloats) / std::max<std::int64_t>(1, n_slots));
  std::size_t turn = 0;
  for (auto first = begin; first < end && n_slots > 0; first += staged_rows, turn = 1 - turn) {
    auto const last = std::min(end, first + staged_rows);
    auto& pinned = pinned_in_[turn];
    pinned.Reserve(ToSize((last - first) * n_slots));
    ParallelForBlocks(ctx, last - first, kBlockRows, [&](std::int64_t row, std::int64_t row_end, std::int64_t) {
      CopySlots(forest, rows, first + row, first + row_end, pinned.data() + row * n_slots);
    });
    if (first > begin) Cuda().Synchronize();  // for the rows staged before, whose memory the next ones take
    CopyToDevice(Cuda(), pinned.data(), ToSize((last - first) * n_slots), features_.data() + (first - begin) * n_slots);
  }
  DeviceRows tile;
  tile.n_rows = end - begin;
  tile.n_cols = n_slots;
  tile.values = features_.data();
  tile.row_stride = n_slots;
  tile.columns_are_slots = true;
  return tile;
}

float* ShapSession::Output(std::size_t size) {
  out_.Reserve(Cuda(), size);
  return out_.data();
}

void ShapSession::BeginDownload(std::size_t size, float* to) {
  on_the_way_ = size;
  to_ = to;
  auto const first = std::min(kStagedFloats, size);
  pinned_out_[0].Reserve(first);
  CopyToHost(Cuda(), out_.data(), first, pinned_out_[0].data());
}

void ShapSession::EndDownload(Context const& ctx) {
  std::size_t turn = 0;
  for (std::size_t begin = 0; begin < on_the_way_; begin += kStagedFloats, turn = 1 - turn) {
    Cuda().Synchronize();  // for what was staged last
    auto const next = begin + kStagedFloats;
    if (next < on_the_way_) {
      auto const size = std::min(kStagedFloats, on_the_way_ - next);
      pinned_out_[1 - turn].Reserve(size);
      CopyToHost(Cuda(), out_.data() + next, size, pinned_out_[1 - turn].data());
    }
    CopyFloats(ctx, pinned_out_[turn].data(), std::min(kStagedFloats, on_the_way_ - begin), to_ + begin);
  }
  on_the_way_ = 0;
}

}  // namespace kauri::cuda
