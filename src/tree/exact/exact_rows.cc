#include "tree/exact/exact_rows.h"

#include <numeric>

#include "common/large_memory.h"
#include "common/threads/parallel_for.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerPiece = 1 << 15;  // time to move them: about 50 microseconds
constexpr std::int64_t kRowsPerSweep = 1 << 18;  // time to count or number them: the same

}  // namespace

void RowOrder::Start(Context const& ctx, Span<FixedPair const> gradients, Span<std::uint8_t const> sampled) {
  auto const n_rows = gradients.size();
  ResizeLarge(&row_of_, n_rows);
  ResizeLarge(&next_row_of_, n_rows);
  ResizeLarge(&own_pairs_, n_rows);
  ResizeLarge(&next_pairs_, n_rows);
  ResizeLarge(&new_position_, n_rows);
  off_default_.assign(n_rows, 0);
  pairs_ = gradients.data();
  is_identity_ = sampled.empty();
  n_used_ = static_cast<std::uint32_t>(n_rows);
  if (sampled.empty()) {
    ParallelForBlocks(ctx, static_cast<std::int64_t>(n_rows), kRowsPerSweep, [&](auto begin, auto end, auto) {
      std::iota(row_of_.begin() + begin, row_of_.begin() + end, static_cast<std::uint32_t>(begin));
    });
    return;
  }
  n_used_ = 0;
  for (std::size_t row = 0; row < n_rows; ++row) {
    new_position_[row] = sampled[row] != 0 ? n_used_ : kDropped;
    if (sampled[row] == 0) continue;
    row_of_[n_used_] = static_cast<std::uint32_t>(row);
    own_pairs_[n_used_] = gradients[row];
    ++n_used_;
  }
  pairs_ = own_pairs_.data();
}

struct RowOrder::Stretch {
  std::size_t split;
  PlaceRange range;
  std::uint32_t next_left;
  std::uint32_t next_right;
};

void RowOrder::MarkOffDefault(Context const& ctx, ExactCodes const& codes, Span<RowSplit const> splits) {
  auto const marked = [](RowSplit const& split) {
    auto const n_left = static_cast<std::size_t>(split.n_left);
    return split.default_left ? split.entries.subspan(n_left, split.entries.size() - n_left)
                              : split.entries.subspan(0, n_left);
  };
  auto const pieces = CutIntoPieces(static_cast<std::int64_t>(splits.size()), kRowsPerPiece, [&](auto item) {
    auto const& split = splits[item];
    return split.coded != nullptr ? split.range.Size() : static_cast<std::int64_t>(marked(split).size());
  });
  ForEachPiece(ctx, pieces, kRowsPerPiece, [&](Piece const& piece) {
    auto const& split = splits[piece.item];
    if (split.coded != nullptr) {
      auto const first = split.range.begin;
      codes.WithCodes(*split.coded, [&](auto const& code_of) {
        auto const end = first + static_cast<std::uint32_t>(piece.end);
        for (auto at = first + static_cast<std::uint32_t>(piece.begin); at < end; ++at) {
          off_default_[at] = split.off_default[code_of(row_of_[at])];
        }
      });
      return;
    }
    auto const* entries = marked(split).data();
    for (auto at = piece.begin; at < piece.end; ++at) off_default_[entries[at].row] = 1;
  });
}

std::vector<RowOrder::Stretch> RowOrder::LayOut(Context const& ctx, Span<RowSplit> splits) const {
  std::vector<Stretch> stretches;
  for (auto const& piece : CutIntoPieces(static_cast<std::int64_t>(splits.size()), kRowsPerPiece,
                                         [&](auto item) { return splits[item].range.Size(); })) {
    auto const index = static_cast<std::size_t>(piece.item);
    auto const first = splits[index].range.begin;
    stretches.push_back(
        {index,
         {first + static_cast<std::uint32_t>(piece.begin), first + static_cast<std::uint32_t>(piece.end)},
         0,
         0});
  }
  std::vector<std::uint32_t> n_left(stretches.size());
  auto const size_of = [&](std::int64_t i) { return stretches[i].range.Size(); };
  ForEachBundled(ctx, static_cast<std::int64_t>(stretches.size()), kRowsPerSweep, size_of, [&](std::int64_t i) {
    auto const& stretch = stretches[i];
    auto const* marks = off_default_.data();
    auto const n_marked = std::accumulate(marks + stretch.range.begin, marks + stretch.range.end, 0U);
    auto const size = stretch.range.end - stretch.range.begin;
    n_left[i] = splits[stretch.split].default_left ? size - n_marked : n_marked;
  });
  for (auto& split : splits) split.middle = split.range.begin;
  for (std::size_t i = 0; i < stretches.size(); ++i) splits[stretches[i].split].middle += n_left[i];
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    auto& stretch = stretches[i];
    auto const& split = splits[stretch.split];
    auto const is_first = stretch.range.begin == split.range.begin;
    stretch.next_left = is_first ? split.range.begin : stretches[i - 1].next_left + n_left[i - 1];
    // Rows before the stretch that did not go left went right.
    stretch.next_right = split.middle + (stretch.range.begin - stretch.next_left);
  }
  return stretches;
}

void RowOrder::Move(Stretch const& stretch, RowSplit const& split, Span<std::int32_t> leaf_of_row) {
  std::uint32_t next[2] = {stretch.next_left, stretch.next_right};
  std::int32_t const leaf[2] = {split.left_leaf, split.right_leaf};
  unsigned const default_side = split.default_left ? 0 : 1;
  for (auto position = stretch.range.begin; position < stretch.range.end; ++position) {
    auto const side = off_default_[position] ^ default_side;
    off_default_[position] = 0;
    auto const row = row_of_[position];
    auto const moved = next[side]++;
    if (leaf[side] != kNoNode) {
      leaf_of_row[row] = leaf[side];
      new_position_[position] = kDropped;
    } else {
      new_position_[position] = moved;
      next_row_of_[moved] = row;
      next_pairs_[moved] = pairs_[position];
    }
  }
}

void RowOrder::Split(Context const& ctx, ExactCodes const& codes, Span<RowSplit> splits,
                     Span<std::int32_t> leaf_of_row) {
  MarkOffDefault(ctx, codes, splits);
  auto const stretches = LayOut(ctx, splits);
  auto const size_of = [&](std::int64_t i) { return stretches[i].range.Size(); };
  ForEachBundled(ctx, static_cast<std::int64_t>(stretches.size()), kRowsPerPiece, size_of, [&](std::int64_t i) {
    auto const& stretch = stretches[i];
    Move(stretch, splits[stretch.split], leaf_of_row);
  });
  row_of_.swap(next_row_of_);
  is_identity_ = false;
  own_pairs_.swap(next_pairs_);
  pairs_ = own_pairs_.data();
}

void RowOrder::Finish(Context const& ctx, Span<FinishedRows const> nodes, Span<std::int32_t> leaf_of_row) const {
  auto const pieces = CutIntoPieces(static_cast<std::int64_t>(nodes.size()), kRowsPerPiece,
                                    [&](auto item) { return nodes[item].range.Size(); });
  ForEachPiece(ctx, pieces, kRowsPerPiece, [&](Piece const& piece) {
    auto const& node = nodes[piece.item];
    for (auto at = piece.begin; at < piece.end; ++at) {
      leaf_of_row[row_of_[node.range.begin + at]] = node.leaf;
    }
  });
}

}  // namespace kauri
