#include "metric/ranked_rows.h"

#include <algorithm>
#include <array>

#include "collective/reduce.h"
#include "common/sums.h"
#include "common/threads/parallel_for.h"
#include "kauri/error.h"
#include "metric/inputs.h"

namespace kauri {
namespace {

WeightedSum SumInOrder(std::vector<WeightedSum> const& scores) {
  return SumInLanes<WeightedSum>(static_cast<std::int64_t>(scores.size()),
                                 [&](std::int64_t group) { return scores[group]; });
}

}  // namespace

void QueryGroups::Validate(std::string const& metric, std::int64_t n_outputs) const {
  CheckLabelCount(metric, info_);
  if (n_outputs != 1 || info_.n_targets != 1) {
    Fail(ErrorKind::kData, metric, ": ", n_outputs, " predictions and ", info_.n_targets,
         " labels per row; a ranking has one of each");
  }
  if (!info_.weights.empty() && static_cast<std::int64_t>(info_.weights.size()) != Count()) {
    Fail(ErrorKind::kData, metric, ": ", info_.weights.size(), " weights for ", Count(),
         info_.group_ptr.empty() ? " query group (none are given, so all rows are one)" : " query groups",
         "; set exactly one weight per group, or none");
  }
}

bool HaveQueryGroups(Context const& ctx, MetaInfo const& info) {
  if (!IsDistributed(ctx)) return !info.group_ptr.empty();
  auto const with = info.n_rows > 0 && !info.group_ptr.empty();
  auto const without = info.n_rows > 0 && info.group_ptr.empty();
  std::array<std::uint64_t, 2> some{with ? 1U : 0U, without ? 1U : 0U};
  MaxOverRanks(ctx, {some.data(), some.size()});
  if (some[0] == 1U && some[1] == 1U) {
    Fail(ErrorKind::kData, "some ranks have query groups, others have rows without groups; set qid or group on all");
  }
  return some[0] == 1U;
}

WeightedSum SumGroupScores(Context const& ctx, QueryOrder const& order, std::vector<WeightedSum> const& scores) {
  return SumInOrder(IsDistributed(ctx) ? GatherByGroup(ctx, order, scores) : scores);
}

namespace {

constexpr std::uint32_t kDigitBits = 11;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
constexpr std::int64_t kMinSortBlock = 1 << 16;  // rows; smaller blocks spend their time on counting
constexpr std::int64_t kMinRadixRows = 1024;     // below it, comparisons are faster

std::size_t Digit(RankedRow const& row, std::uint32_t shift) { return (row.key >> shift) & (kDigits - 1); }

/// Turns counts [n_blocks, kDigits] into the offsets at which each block writes its rows of each digit. Returns false
/// if all rows share a digit.
bool CountsToOffsets(std::vector<std::int64_t>* counts, std::int64_t n_rows) {
  std::int64_t offset = 0;
  for (std::size_t digit = 0; digit < kDigits; ++digit) {
    auto const before = offset;
    for (auto place = digit; place < counts->size(); place += kDigits) {
      auto const count = (*counts)[place];
      (*counts)[place] = offset;
      offset += count;
    }
    if (offset - before == n_rows) return false;
  }
  return true;
}

}  // namespace

void SortRankedRows(Context const& ctx, std::vector<RankedRow>* rows) {
  auto const n = static_cast<std::int64_t>(rows->size());
  if (n < kMinRadixRows) {
    std::stable_sort(rows->begin(), rows->end(), [](auto const& a, auto const& b) { return a.key < b.key; });
    return;
  }
  auto const block_size = std::max<std::int64_t>(kMinSortBlock, NumBlocks(n, 64));
  std::vector<RankedRow> scratch(rows->size());
  std::vector<std::int64_t> counts(static_cast<std::size_t>(NumBlocks(n, block_size)) * kDigits);
  for (std::uint32_t shift = 0; shift < 32; shift += kDigitBits) {
    std::fill(counts.begin(), counts.end(), 0);
    ParallelForBlocks(ctx, n, block_size, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
      auto* of_block = counts.data() + static_cast<std::size_t>(block) * kDigits;
      for (auto i = begin; i < end; ++i) ++of_block[Digit((*rows)[i], shift)];
    });
    if (!CountsToOffsets(&counts, n)) continue;
    ParallelForBlocks(ctx, n, block_size, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
      auto* next = counts.data() + static_cast<std::size_t>(block) * kDigits;
      for (auto i = begin; i < end; ++i) {
        auto const& row = (*rows)[i];
        scratch[next[Digit(row, shift)]++] = row;
      }
    });
    rows->swap(scratch);
  }
}

}  // namespace kauri
