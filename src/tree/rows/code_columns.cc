#include "tree/rows/code_columns.h"

#include <algorithm>
#include <utility>

#include "common/threads/parallel_for.h"
#include "common/threads/threads.h"
#include "tree/rows/route_rows.h"

namespace kauri {
namespace {

constexpr std::int64_t kPadding = BinCodes<std::uint16_t>::kPadding;
constexpr std::size_t kMaxSlots = 16;     // two bytes per row each
constexpr std::int64_t kLookUpShare = 8;  // entries written and cleared in the time of one look-up

/// Returns whether columns exist or cannot be expanded.
bool HasColumns(BinMatrix const& bins) { return bins.IsDense() || bins.HasBundles() || !bins.HasColumns(); }

CodeColumn BundleColumn(BinMatrix const& bins, std::uint32_t feature) {
  if (bins.NumRows() > kMaxRouteBytes) return {};
  auto const& bundled = bins.Bundled();
  auto const* column = bundled.codes.columns.data() + bundled.bundle_of[feature] * bins.NumRows();
  return {column, nullptr, bins.BundleOffset(feature)};
}

CodeColumn DenseColumn(BinMatrix const& bins, std::uint32_t feature) {
  if (!bins.HasColumns()) return {};
  if (!bins.IsDense()) return BundleColumn(bins, feature);
  auto const offset = static_cast<std::int64_t>(feature) * bins.NumRows();
  auto const code_bytes = bins.HasByteCodes() ? 1 : 2;
  if (bins.NumRows() * code_bytes > kMaxRouteBytes) return {};
  if (bins.HasByteCodes()) return {bins.Bytes().columns.data() + offset, nullptr, 0};
  return {nullptr, bins.Words().columns.data() + offset, 0};
}

}  // namespace

std::size_t CodeColumns::MaxColumns(Context const& ctx, BinMatrix const& bins, std::size_t n_wanted) {
  if (HasColumns(bins)) return n_wanted;
  return std::min(static_cast<std::size_t>(ctx.threads), kMaxSlots);
}

void CodeColumns::Expand(BinMatrix const& bins, std::size_t slot) {
  auto const request = requests_[slot];
  auto const entries = bins.EntriesOf(request.feature);
  if (entries.n > request.n_rows * kLookUpShare || bins.NumRows() * 2 > kMaxRouteBytes) return;
  if (bins.NumBins(request.feature) > kMaxShortCodes) return;
  auto& codes = slots_[slot];
  codes.resize(bins.NumRows() + kPadding, kAbsentCode);
  for (std::int64_t i = 0; i < entries.n; ++i) codes[entries.rows[i]] = entries.codes[i];
  columns_[slot].words = codes.data();
}

void CodeColumns::Wipe(BinMatrix const& bins, std::size_t slot) {
  if (columns_[slot].words == nullptr) return;
  auto const entries = bins.EntriesOf(requests_[slot].feature);
  for (std::int64_t i = 0; i < entries.n; ++i) slots_[slot][entries.rows[i]] = kAbsentCode;
}

void CodeColumns::Prepare(Context const& ctx, BinMatrix const& bins, std::vector<ColumnRequest> requests) {
  if (HasColumns(bins)) {
    columns_.clear();
    for (auto const& request : requests) columns_.push_back(DenseColumn(bins, request.feature));
    return;
  }
  auto const for_each = [&](auto&& fn) {
    double n_entries = 0.0;
    for (auto const& request : requests_) n_entries += static_cast<double>(bins.EntriesOf(request.feature).n);
    ParallelFor(ThreadsFor(ctx, n_entries), static_cast<std::int64_t>(requests_.size()),
                [&](std::int64_t slot) { fn(static_cast<std::size_t>(slot)); });
  };
  for_each([&](std::size_t slot) { Wipe(bins, slot); });
  requests_ = std::move(requests);
  columns_.assign(requests_.size(), {});
  slots_.resize(std::max(slots_.size(), requests_.size()));
  for_each([&](std::size_t slot) { Expand(bins, slot); });
}

}  // namespace kauri
