#include <algorithm>

#include "predictor/margins/tree_tops.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "predictor/margins/row_tree_tops.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kauri {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::int32_t kLevels = 6;
constexpr std::int64_t kTreesAtOnce = 8;

/// Bit n of the result: the row goes right at node n.
HWY_INLINE std::uint64_t CompareOneByOne(std::uint8_t const* column, std::int8_t const* rank,
                                         std::int8_t const* codes) {
  std::uint64_t word = 0;
  for (std::int64_t node = 0; node < kRowTreeTopsNodes; ++node) {
    word |= static_cast<std::uint64_t>(codes[column[node]] > rank[node]) << static_cast<unsigned>(node);
  }
  return word;
}

HWY_INLINE std::uint8_t WalkOne(std::uint64_t word) {
  std::uint64_t node = 0;
  for (std::int32_t level = 0; level < kLevels; ++level) node = 2 * node + 1 + ((word >> node) & 1U);
  return static_cast<std::uint8_t>(node - (kRowTreeTopsNodes - 1));
}

#if HWY_TARGET != HWY_SCALAR

using Bytes = hn::CappedTag<std::int8_t, kRowTreeTopsNodes>;
using Words = hn::CappedTag<std::uint64_t, kTreesAtOnce>;

/// The codes of a row, in one register per 16 columns. kTables: number of such registers.
template <int kTables>
class RowCodes {
 public:
  explicit HWY_INLINE RowCodes(std::int8_t const* codes) : codes_(codes) {}
  HWY_INLINE hn::Vec<Bytes> Of(hn::Vec<Bytes> column) const {
    Bytes const d;
    auto const place = hn::And(column, hn::Set(d, 15));
    auto found = hn::TableLookupBytes(Table(0), place);
    if constexpr (kTables > 1) {
      found = hn::IfThenElse(hn::Lt(column, hn::Set(d, 16)), found, hn::TableLookupBytes(Table(1), place));
    }
    if constexpr (kTables > 2) {
      auto const upper = hn::IfThenElse(hn::Lt(column, hn::Set(d, 48)), hn::TableLookupBytes(Table(2), place),
                                        hn::TableLookupBytes(Table(3), place));
      found = hn::IfThenElse(hn::Lt(column, hn::Set(d, 32)), found, upper);
    }
    return found;
  }

 private:
  HWY_INLINE hn::Vec<Bytes> Table(std::int64_t table) const { return hn::LoadDup128(Bytes(), codes_ + 16 * table); }

  std::int8_t const* codes_;
};

/// Sets bit n of `word` if the row goes right at node n.
template <int kTables>
HWY_INLINE void CompareNodes(std::uint8_t const* column, std::int8_t const* rank, RowCodes<kTables> const& codes,
                             std::uint64_t* word) {
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the bytes of a word come lowest first");
  Bytes const d;
  for (std::size_t node = 0; node < kRowTreeTopsNodes; node += hn::Lanes(d)) {
    auto const number = hn::LoadU(d, reinterpret_cast<std::int8_t const*>(column) + node);
    hn::StoreMaskBits(d, hn::Gt(codes.Of(number), hn::LoadU(d, rank + node)),
                      reinterpret_cast<std::uint8_t*>(word) + node / 8);
  }
}

HWY_INLINE void WalkMany(std::uint64_t const* words, std::uint8_t* exits) {
  Words const d;
  auto const one = hn::Set(d, 1);
  for (std::size_t tree = 0; tree < kTreesAtOnce; tree += hn::Lanes(d)) {
    auto const word = hn::LoadU(d, words + tree);
    auto node = hn::Zero(d);
    for (std::int32_t level = 0; level < kLevels; ++level) {
      auto const turn = hn::And(hn::Shr(word, node), one);
      node = hn::Add(hn::Add(node, node), hn::Add(turn, one));
    }
    HWY_ALIGN std::uint64_t nodes[kTreesAtOnce];
    hn::Store(node, d, nodes);
    for (std::size_t lane = 0; lane < hn::Lanes(d); ++lane) {
      exits[tree + lane] = static_cast<std::uint8_t>(nodes[lane] - (kRowTreeTopsNodes - 1));
    }
  }
}

/// Computes the exits of whole groups of kTreesAtOnce trees and returns the number of these trees.
template <int kTables>
HWY_INLINE std::int64_t ExitsOfGroups(RowTreeTops const& tree_tops, std::int8_t const* codes, std::int64_t first,
                                      std::int64_t n_trees, std::uint8_t* exits) {
  constexpr std::int64_t kTreesPerPass = 64;  // words are stored well before they are loaded as vectors
  RowCodes<kTables> const row(codes);
  auto const n_done = n_trees / kTreesAtOnce * kTreesAtOnce;
  for (std::int64_t tree = 0; tree < n_done; tree += kTreesPerPass) {
    auto const n = std::min(kTreesPerPass, n_done - tree);
    std::uint64_t words[kTreesPerPass];
    for (std::int64_t i = 0; i < n; ++i) {
      auto const begin = (first + tree + i) * kRowTreeTopsNodes;
      CompareNodes(tree_tops.column.data() + begin, tree_tops.rank.data() + begin, row, &words[i]);
    }
    for (std::int64_t i = 0; i < n; i += kTreesAtOnce) WalkMany(words + i, exits + tree + i);
  }
  return n_done;
}

#endif  // HWY_TARGET != HWY_SCALAR

void RowExits(RowTreeTops const& tree_tops, std::int8_t const* codes, [[maybe_unused]] std::size_t n_columns,
              std::int64_t first, std::int64_t n_trees, std::uint8_t* exits) {
  std::int64_t tree = 0;
#if HWY_TARGET != HWY_SCALAR
  if (n_columns <= 16) {
    tree = ExitsOfGroups<1>(tree_tops, codes, first, n_trees, exits);
  } else if (n_columns <= 32) {
    tree = ExitsOfGroups<2>(tree_tops, codes, first, n_trees, exits);
  } else {
    tree = ExitsOfGroups<4>(tree_tops, codes, first, n_trees, exits);
  }
#endif
  for (; tree < n_trees; ++tree) {
    auto const begin = (first + tree) * kRowTreeTopsNodes;
    exits[tree] = WalkOne(CompareOneByOne(tree_tops.column.data() + begin, tree_tops.rank.data() + begin, codes));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kauri
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kauri {

HWY_EXPORT(RowExits);

void FindRowExits(RowTreeTops const& tree_tops, RowCodesView codes, std::int64_t first, std::int64_t n_trees,
                  std::uint8_t* exits) {
  HWY_DYNAMIC_DISPATCH(RowExits)(tree_tops, codes.codes, codes.n_columns, first, n_trees, exits);
}

}  // namespace kauri
#endif  // HWY_ONCE
