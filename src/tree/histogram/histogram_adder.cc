#include "tree/histogram/histogram_adder.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "common/threads/parallel_for.h"

namespace kauri {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "codes are taken out of words from the low end");

constexpr std::int64_t kRowsPerGroup = 256;
constexpr std::int64_t kPrefetchRows = 32;
constexpr std::int64_t kMaxWords = 16;             // per block: two cache lines of bin indices per row
constexpr std::uint32_t kCellsPerBlock = 1 << 13;  // 128 KiB of sums

/// {gradient, hessian} in one register.
using SumVector = std::int64_t __attribute__((vector_size(16)));

constexpr std::uint64_t kEvenBytes = kEvenCells * sizeof(FixedSum);

inline SumVector Widen(FixedPair pair) { return SumVector{pair.gradient, pair.hessian}; }

/// Adds a pair to the sum at a byte offset, which is a multiple of 16.
inline void AddTo(char* histogram, std::uint64_t offset, SumVector pair) {
  auto* const cell = static_cast<char*>(__builtin_assume_aligned(histogram + offset, 16));
  SumVector sum;
  std::memcpy(&sum, cell, sizeof(sum));
  sum += pair;
  std::memcpy(cell, &sum, sizeof(sum));
}

/// Returns the byte offset, within its feature, of the cell of the k-th bin index of a word.
template <typename Code>
inline std::uint64_t CellOffset(std::uint64_t word, unsigned k) {
  constexpr unsigned kBits = 8 * sizeof(Code);
  constexpr std::uint64_t kMask = ((std::uint64_t{1} << kBits) - 1) * sizeof(FixedSum);
  constexpr unsigned kScaleBits = 4;  // 16 bytes a cell
  return k == 0 ? (word << kScaleBits) & kMask : (word >> (k * kBits - kScaleBits)) & kMask;
}

/// Bin indices of consecutive rows: `words` words each, the rows `stride` bytes apart.
struct CodeTile {
  char const* codes;
  std::int64_t stride;
  std::int64_t words;
  std::int64_t n_columns;
};

/// Rows whose bin indices and pairs are copied next. They are prefetched into the second-level cache while the current
/// rows are added, when memory would otherwise be idle.
struct NextRows {
  std::uint32_t const* rows = nullptr;
  std::int64_t n = 0;
  char const* codes = nullptr;
  std::int64_t stride = 0;
  FixedPair const* pairs = nullptr;

  void Prefetch(std::int64_t i) const {
    __builtin_prefetch(codes + rows[i] * stride, 0, 2);
    __builtin_prefetch(pairs + rows[i], 0, 2);
  }
};

/// Adds the rows of a tile. kEven: see BinMatrix::HasEvenCells; the offsets of the features are then compile-time
/// constants.
template <typename Code, bool kEven>
void AddTile(CodeTile const& tile, FixedPair const* pairs, std::int64_t n_rows, std::uint64_t const* offsets,
             NextRows const& next, char* histogram) {
  constexpr unsigned kPerWord = sizeof(std::uint64_t) / sizeof(Code);
  auto const full_words = tile.n_columns / kPerWord;
  auto const rest = static_cast<unsigned>(tile.n_columns % kPerWord);
  for (std::int64_t row = 0; row < n_rows; ++row) {
    auto const* codes = tile.codes + row * tile.stride;
    auto const pair = Widen(pairs[row]);
    if (row < next.n) next.Prefetch(row);
    auto const* offset = offsets;
    auto* cells = kEven ? histogram + offsets[0] : histogram;
    for (std::int64_t i = 0; i < full_words; ++i, codes += sizeof(std::uint64_t), offset += kPerWord) {
      std::uint64_t word;
      std::memcpy(&word, codes, sizeof(word));
#pragma GCC unroll 8
      for (unsigned k = 0; k < kPerWord; ++k) {
        AddTo(cells, (kEven ? k * kEvenBytes : offset[k]) + CellOffset<Code>(word, k), pair);
      }
      if (kEven) cells += kPerWord * kEvenBytes;
    }
    for (unsigned k = 0; k < rest; ++k) {
      Code code;
      std::memcpy(&code, codes + k * sizeof(Code), sizeof(code));
      AddTo(histogram, offset[k] + code * sizeof(FixedSum), pair);
    }
  }
}

/// One group of non-consecutive rows, copied side by side. Lives on the stack.
struct RowGroup {
  std::array<FixedPair, kRowsPerGroup> pairs;
  std::array<std::uint64_t, kRowsPerGroup * kMaxWords> words;
};

void CopyPairs(FixedPair const* pairs, std::uint32_t const* rows, std::int64_t n, RowGroup* group) {
  for (std::int64_t i = 0; i < n; ++i) {
    if (i + kPrefetchRows < n) __builtin_prefetch(pairs + rows[i + kPrefetchRows]);
    group->pairs[i] = pairs[rows[i]];
  }
}

template <int kWords>
void CopyWords(char const* codes, std::int64_t stride, std::uint32_t const* rows, std::int64_t n, std::int64_t n_words,
               std::uint64_t* out) {
  if (kWords != 0) n_words = kWords;
  for (std::int64_t i = 0; i < n; ++i) {
    if (i + kPrefetchRows < n) __builtin_prefetch(codes + rows[i + kPrefetchRows] * stride);
    std::memcpy(out + i * n_words, codes + rows[i] * stride, static_cast<std::size_t>(n_words) * sizeof(*out));
  }
}

/// Returns the copy function for rows of n_words words. A copy of constant length takes one or two instructions.
decltype(&CopyWords<0>) CopyOf(std::int64_t n_words) {
  constexpr std::array kCopies{CopyWords<0>, CopyWords<1>, CopyWords<2>, CopyWords<3>, CopyWords<4>,
                               CopyWords<5>, CopyWords<6>, CopyWords<7>, CopyWords<8>};
  auto const known = static_cast<std::size_t>(n_words);
  return kCopies[known < kCopies.size() ? known : 0];
}

/// Adds rows stored as lists of cells: row r has cells[row_ptr[r] .. row_ptr[r + 1]). The length
/// of each list is a multiple of kStep; sparse_bins.h explains the cells that fill it up.
template <unsigned kStep, typename Place, typename Cell>
void AddLists(Place const* row_ptr, Cell const* cells, FixedPair const* pairs, RowSlice slice, FixedSum* histogram) {
  auto* const sums = reinterpret_cast<char*>(histogram);
  for (auto i = slice.begin; i < slice.end; ++i) {
    auto const row = slice.rows == nullptr ? i : static_cast<std::int64_t>(slice.rows[i]);
    if (slice.rows != nullptr && i + kPrefetchRows < slice.end) {
      __builtin_prefetch(pairs + slice.rows[i + kPrefetchRows]);
      __builtin_prefetch(row_ptr + slice.rows[i + kPrefetchRows]);
      __builtin_prefetch(cells + row_ptr[slice.rows[i + kPrefetchRows / 2]]);
    }
    auto const pair = Widen(pairs[row]);
    auto const* const last = cells + row_ptr[row + 1];
    for (auto const* cell = cells + row_ptr[row]; cell < last; cell += kStep) {
#pragma GCC unroll 4
      for (unsigned k = 0; k < kStep; ++k) AddTo(sums, cell[k] * sizeof(FixedSum), pair);
    }
  }
}

}  // namespace

HistogramAdder::HistogramAdder(BinMatrix const& bins) : bins_(&bins) {
  auto const& begin = bins.FeatureBegin();
  if (bins.HasBundles()) {
    for (auto const& bundle : bins.Bundled().bundles) column_begin_.push_back(bundle.first_cell);
    column_begin_.push_back(begin.back());
  } else {
    column_begin_ = begin;
  }
  for (std::size_t column = 0; column + 1 < column_begin_.size(); ++column) {
    byte_offsets_.push_back(column_begin_[column] * sizeof(FixedSum));
  }
  if (!bins.IsDense() && !bins.HasBundles()) return;
  if (bins.HasByteCodes()) {
    MakeBlocks<std::uint8_t>();
  } else {
    MakeBlocks<std::uint16_t>();
  }
}

template <typename Code>
void HistogramAdder::MakeBlocks() {
  constexpr auto kPerWord = BinCodes<Code>::kPerWord;
  auto const n_cols = static_cast<std::int64_t>(byte_offsets_.size());
  auto const cell_of_word = [&](std::int64_t word) { return column_begin_[std::min(word * kPerWord, n_cols)]; };
  auto const n_words = NumBlocks(n_cols, kPerWord);
  n_words_ = n_words;
  columns_per_word_ = kPerWord;
  for (std::int64_t word = 0; word < n_words;) {
    auto last = word + 1;
    while (last < n_words && last - word < kMaxWords && cell_of_word(last + 1) - cell_of_word(word) <= kCellsPerBlock) {
      ++last;
    }
    blocks_.push_back({word, last, std::min(last * kPerWord, n_cols)});
    word = last;
  }
}

template <typename Code>
void HistogramAdder::AddDense(BinCodes<Code> const& codes, FixedPair const* pairs, RowSlice slice, Band const& band,
                              FixedSum* histogram) const {
  RowGroup group;
  auto const stride = codes.row_stride * static_cast<std::int64_t>(sizeof(Code));
  auto* const cells = reinterpret_cast<char*>(histogram);
  for (auto begin = slice.begin; begin < slice.end; begin += kRowsPerGroup) {
    auto const n = std::min(kRowsPerGroup, slice.end - begin);
    auto const* rows = slice.rows == nullptr ? nullptr : slice.rows + begin;
    if (rows != nullptr) CopyPairs(pairs, rows, n, &group);
    for (auto const& block : blocks_) {
      auto const first_word = std::max(block.first_word, band.first_word);
      auto const last_word = std::min(block.last_word, band.last_word);
      if (first_word >= last_word) continue;
      auto const first_column = first_word * BinCodes<Code>::kPerWord;
      auto const end_column = std::min(last_word * BinCodes<Code>::kPerWord, block.end_column);
      auto const* block_codes = reinterpret_cast<char const*>(codes.rows.data()) +
                                first_word * static_cast<std::int64_t>(sizeof(std::uint64_t));
      auto const n_words = last_word - first_word;
      CodeTile tile{block_codes + begin * stride, stride, n_words, end_column - first_column};
      if (rows != nullptr) {
        CopyOf(n_words)(block_codes, stride, rows, n, n_words, group.words.data());
        tile.codes = reinterpret_cast<char const*>(group.words.data());
        tile.stride = n_words * static_cast<std::int64_t>(sizeof(std::uint64_t));
      }
      auto const add_tile = bins_->HasEvenCells() ? AddTile<Code, true> : AddTile<Code, false>;
      NextRows next;
      if (rows != nullptr)
        next = {rows + n, std::min(kRowsPerGroup, slice.end - begin - n), block_codes, stride, pairs};
      add_tile(tile, rows == nullptr ? pairs + begin : group.pairs.data(), n, byte_offsets_.data() + first_column, next,
               cells);
    }
  }
}

template <typename Code>
void HistogramAdder::AddFeatures(BinCodes<Code> const& codes, FixedPair const* pairs, RowSlice slice,
                                 Span<std::uint32_t const> features, FixedSum* histogram) const {
  auto* const cells = reinterpret_cast<char*>(histogram);
  for (auto i = slice.begin; i < slice.end; ++i) {
    auto const row = slice.rows == nullptr ? i : static_cast<std::int64_t>(slice.rows[i]);
    if (slice.rows != nullptr && i + kPrefetchRows < slice.end) {
      auto const later = slice.rows[i + kPrefetchRows];
      __builtin_prefetch(pairs + later);
      __builtin_prefetch(codes.rows.data() + later * codes.row_stride);
    }
    auto const pair = Widen(pairs[row]);
    auto const* row_codes = codes.rows.data() + row * codes.row_stride;
    for (auto const feature : features) {
      AddTo(cells, byte_offsets_[feature] + row_codes[feature] * sizeof(FixedSum), pair);
    }
  }
}

std::vector<HistogramAdder::Band> HistogramAdder::Bands(std::int64_t n) const {
  if (n_words_ == 0) return {All()};
  auto const n_bands = std::min(n, n_words_);
  auto const cell_of_word = [&](std::int64_t word) {
    auto const n_columns = static_cast<std::int64_t>(byte_offsets_.size());
    return column_begin_[std::min(word * columns_per_word_, n_columns)];
  };
  std::vector<Band> bands;
  for (std::int64_t i = 0; i < n_bands; ++i) {
    auto const first = n_words_ * i / n_bands;
    auto const last = n_words_ * (i + 1) / n_bands;
    bands.push_back({first, last, cell_of_word(first), cell_of_word(last)});
  }
  return bands;
}

Span<std::uint32_t const> HistogramAdder::FeaturesIn(Band const& band, Span<std::uint32_t const> features) const {
  auto const first = std::lower_bound(features.begin(), features.end(), band.first_word * columns_per_word_);
  auto const last = std::lower_bound(first, features.end(), band.last_word * columns_per_word_);
  return {first, static_cast<std::size_t>(last - first)};
}

void HistogramAdder::Add(Span<FixedPair const> pairs, RowSlice slice, Span<std::uint32_t const> features,
                         Band const& band, FixedSum* histogram) const {
  if (bins_->HasBundles()) {
    AddDense(bins_->Bundled().codes, pairs.data(), slice, band, histogram);
    return;
  }
  if (!bins_->IsDense()) {
    auto const& entries = bins_->Entries();
    AddLists<1>(entries.row_ptr.data(), entries.cells.data(), pairs.data(), slice, histogram);
    return;
  }
  // If fewer columns than this are used, single bin indices are cheaper than whole words.
  auto const few = static_cast<std::int64_t>(features.size()) * 4 < bins_->NumCols() * 3;
  auto const is_all = band.first_word == 0 && band.last_word == n_words_;
  if (!few && is_all && !bins_->Sparse().IsEmpty()) {
    auto const& lists = bins_->Sparse();
    AddLists<SparseBins::kCellsPerStep>(lists.row_ptr.data(), lists.cells.data(), pairs.data(), slice, histogram);
    return;
  }
  auto const add = [&](auto const& codes) {
    if (few) {
      AddFeatures(codes, pairs.data(), slice, FeaturesIn(band, features), histogram);
    } else {
      AddDense(codes, pairs.data(), slice, band, histogram);
    }
  };
  if (bins_->HasByteCodes()) {
    add(bins_->Bytes());
  } else {
    add(bins_->Words());
  }
}

}  // namespace kauri
