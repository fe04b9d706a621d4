#include "tree/exact_rows.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "common/parallel_for.h"
#include "tree/exact_pieces.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerPiece = 1 << 14;

}  // namespace

void RowOrder::Start(Context const& ctx, Span<FixedPair const> gradients, Span<std::uint8_t const> sampled) {
  auto const n_rows = gradients.size();
  row_of_.resize(n_rows);
  next_row_of_.resize(n_rows);
  own_pairs_.resize(n_rows);
  next_pairs_.resize(n_rows);
  new_position_.resize(n_rows);
  goes_right_.resize(n_rows);
  pairs_ = gradients.data();
  n_used_ = static_cast<std::uint32_t>(n_rows);
  if (sampled.empty()) {
    ParallelForBlocks(ctx, static_cast<std::int64_t>(n_rows), kRowsPerPiece, [&](auto begin, auto end, auto) {
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

void RowOrder::MarkSides(Context const& ctx, Span<RowSplit const> splits) {
  auto const n_splits = static_cast<std::int64_t>(splits.size());
  auto const split_of = [&](Piece const& piece) -> RowSplit const& {
    return splits[static_cast<std::size_t>(piece.item)];
  };
  auto const ranges = CutIntoPieces(n_splits, kRowsPerPiece,
                                    [&](auto item) { return splits[static_cast<std::size_t>(item)].range.Size(); });
  ParallelFor(ctx, static_cast<std::int64_t>(ranges.size()), [&](std::int64_t i) {
    auto const& piece = ranges[static_cast<std::size_t>(i)];
    auto const& split = split_of(piece);
    std::memset(goes_right_.data() + split.range.begin + piece.begin, split.default_left ? 0 : 1,
                static_cast<std::size_t>(piece.end - piece.begin));
  });
  // Entries on the default side are marked already.
  auto const entries = CutIntoPieces(n_splits, kRowsPerPiece, [&](auto item) {
    auto const& split = splits[static_cast<std::size_t>(item)];
    return split.default_left ? static_cast<std::int64_t>(split.entries.size()) - split.n_left : split.n_left;
  });
  ParallelFor(ctx, static_cast<std::int64_t>(entries.size()), [&](std::int64_t i) {
    auto const& piece = entries[static_cast<std::size_t>(i)];
    auto const& split = split_of(piece);
    auto const* entry = split.entries.data() + (split.default_left ? split.n_left : 0);
    std::uint8_t const mark = split.default_left ? 1 : 0;
    for (auto at = piece.begin; at < piece.end; ++at) goes_right_[entry[at].row] = mark;
  });
}

void RowOrder::Split(Context const& ctx, Span<RowSplit> splits, Span<std::int32_t> leaf_of_row) {
  MarkSides(ctx, splits);
  auto const pieces = CutIntoPieces(static_cast<std::int64_t>(splits.size()), kRowsPerPiece,
                                    [&](auto item) { return splits[static_cast<std::size_t>(item)].range.Size(); });
  std::vector<std::uint32_t> n_right(pieces.size());
  auto const n_pieces = static_cast<std::int64_t>(pieces.size());
  ParallelFor(ctx, n_pieces, [&](std::int64_t i) {
    auto const& piece = pieces[static_cast<std::size_t>(i)];
    auto const* side = goes_right_.data() + splits[static_cast<std::size_t>(piece.item)].range.begin;
    n_right[static_cast<std::size_t>(i)] = std::accumulate(side + piece.begin, side + piece.end, 0U);
  });
  for (auto& split : splits) split.middle = split.range.end;
  for (std::size_t i = 0; i < pieces.size(); ++i) splits[static_cast<std::size_t>(pieces[i].item)].middle -= n_right[i];
  // First right position of each piece.
  std::vector<std::uint32_t> first_right(pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    auto const continues = i > 0 && pieces[i - 1].item == pieces[i].item;
    first_right[i] =
        continues ? first_right[i - 1] + n_right[i - 1] : splits[static_cast<std::size_t>(pieces[i].item)].middle;
  }
  ParallelFor(ctx, n_pieces, [&](std::int64_t i) {
    auto const& piece = pieces[static_cast<std::size_t>(i)];
    auto const& split = splits[static_cast<std::size_t>(piece.item)];
    auto right = first_right[static_cast<std::size_t>(i)];
    auto const begin = split.range.begin + static_cast<std::uint32_t>(piece.begin);
    auto left = begin - (right - split.middle);
    std::uint32_t* const next[2] = {&left, &right};
    std::int32_t const leaf[2] = {split.left_leaf, split.right_leaf};
    for (auto position = begin; position < split.range.begin + static_cast<std::uint32_t>(piece.end); ++position) {
      auto const side = goes_right_[position];
      auto const moved = (*next[side])++;
      if (leaf[side] != kNoNode) {
        leaf_of_row[row_of_[position]] = leaf[side];
        new_position_[position] = kDropped;
        continue;
      }
      new_position_[position] = moved;
      next_row_of_[moved] = row_of_[position];
      next_pairs_[moved] = pairs_[position];
    }
  });
  row_of_.swap(next_row_of_);
  own_pairs_.swap(next_pairs_);
  pairs_ = own_pairs_.data();
}

void RowOrder::Finish(Context const& ctx, Span<FinishedRows const> nodes, Span<std::int32_t> leaf_of_row) const {
  auto const pieces = CutIntoPieces(static_cast<std::int64_t>(nodes.size()), kRowsPerPiece,
                                    [&](auto item) { return nodes[static_cast<std::size_t>(item)].range.Size(); });
  ParallelFor(ctx, static_cast<std::int64_t>(pieces.size()), [&](std::int64_t i) {
    auto const& piece = pieces[static_cast<std::size_t>(i)];
    auto const& node = nodes[static_cast<std::size_t>(piece.item)];
    for (auto at = piece.begin; at < piece.end; ++at) {
      leaf_of_row[row_of_[static_cast<std::size_t>(node.range.begin + at)]] = node.leaf;
    }
  });
}

}  // namespace kauri
