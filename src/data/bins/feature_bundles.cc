#include "data/bins/feature_bundles.h"

#include <algorithm>
#include <array>

#include "collective/reduce.h"
#include "common/threads/parallel_for.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 13;  // the marks of a block stay in the first-level cache
constexpr std::uint32_t kByteCells = 256;

/// The maximum of each feature's values over the threads of all ranks.
class LargestOfThreads {
 public:
  LargestOfThreads(Context const& ctx, std::int64_t n_cols)
      : of_thread_(static_cast<std::size_t>(ctx.threads), std::vector<std::uint32_t>(n_cols, 0U)) {}
  std::uint32_t* OfThread() { return of_thread_[ThreadIndex()].data(); }
  std::vector<std::uint32_t> Combine(Context const& ctx) {
    std::vector<std::uint64_t> all(of_thread_[0].size(), 0);
    for (auto const& one : of_thread_) {
      for (std::size_t feature = 0; feature < all.size(); ++feature)
        all[feature] = std::max<std::uint64_t>(all[feature], one[feature]);
    }
    MaxOverRanks(ctx, Span<std::uint64_t>(all));
    return {all.begin(), all.end()};
  }

 private:
  std::vector<std::vector<std::uint32_t>> of_thread_;
};

/// Adds the number of occurrences of each code to counts, [kByteCells].
void CountCodes(std::uint8_t const* codes, std::int64_t n_rows, std::int64_t* counts) {
  // four tables, because increments for repeated codes would stall each other
  std::array<std::array<std::int64_t, kByteCells>, 4> of{};
  for (std::int64_t row = 0; row < n_rows; ++row) ++of[row % 4][codes[row]];
  for (std::uint32_t code = 0; code < kByteCells; ++code) {
    counts[code] += of[0][code] + of[1][code] + of[2][code] + of[3][code];
  }
}

/// Returns the code that more than half of n_rows rows have, or kNoMostFrequent.
std::uint32_t MostFrequentCode(std::int64_t const* counts, std::int64_t n_rows) {
  for (std::uint32_t code = 0; code < kByteCells; ++code) {
    if (counts[code] > n_rows / 2) return code;  // the doubled count could overflow if a faulty connection changed it
  }
  return kNoMostFrequent;
}

/// Returns the usual codes of the features with at most most_codes codes, based on the first n_rows rows of each rank.
std::vector<std::uint32_t> MostFrequentCodes(Context const& ctx, ByteColumns const& data, std::int64_t n_rows,
                                             Span<std::uint32_t const> n_codes, std::uint32_t most_codes) {
  constexpr std::int64_t kColumnsAtOnce = 1 << 10;
  auto const n_all = SumOverRanks(ctx, n_rows);
  std::vector<std::uint32_t> most_frequent(data.n_cols, kNoMostFrequent);
  std::vector<std::int64_t> counts;
  for (std::int64_t first = 0; first < data.n_cols; first += kColumnsAtOnce) {
    auto const n_columns = std::min(kColumnsAtOnce, data.n_cols - first);
    counts.assign(n_columns * kByteCells, 0);
    ParallelFor(ctx, n_columns, [&](std::int64_t column) {
      auto const feature = static_cast<std::size_t>(first + column);
      if (n_codes[feature] <= most_codes) CountCodes(data.Of(feature), n_rows, counts.data() + column * kByteCells);
    });
    SumOverRanks(ctx, Span<std::int64_t>(counts));
    for (std::int64_t column = 0; column < n_columns; ++column) {
      auto const feature = static_cast<std::size_t>(first + column);
      if (n_codes[feature] > most_codes) continue;
      most_frequent[feature] = MostFrequentCode(counts.data() + column * kByteCells, n_all);
      if (most_frequent[feature] == kNoMostFrequent || most_frequent[feature] < n_codes[feature]) continue;
      Fail(ErrorKind::kCollective, "the most frequent bin over all ranks is wrong: got bin ", most_frequent[feature],
           " of feature ", feature, ", which has ", n_codes[feature],
           " bins. Check that the transport delivers every byte unchanged.");
    }
  }
  return most_frequent;
}

/// Sets `last` to `mark` in the rows with another code than the usual one. Returns the largest former `last` of these
/// rows.
std::uint32_t MarkUnusual(std::uint8_t const* codes, std::uint32_t most_frequent, std::int64_t n, std::uint32_t mark,
                          std::uint32_t* last) {
  std::uint32_t largest = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    auto const unusual = 0U - static_cast<std::uint32_t>(codes[i] != most_frequent);
    largest = std::max(largest, last[i] & unusual);
    last[i] = (mark & unusual) | (last[i] & ~unusual);
  }
  return largest;
}

}  // namespace

std::vector<std::uint32_t> FindMostFrequentCodes(Context const& ctx, ByteColumns const& data,
                                                 Span<std::uint32_t const> n_codes) {
  constexpr std::uint32_t kMostCodes = kByteCells / 2;  // larger features leave no room for another in a bundle
  return MostFrequentCodes(ctx, data, data.n_rows, n_codes, kMostCodes);
}

std::vector<std::uint32_t> FindMostFrequentCodes(Context const& ctx, ByteColumns const& data,
                                                 Span<std::uint32_t const> n_codes, std::int64_t n_rows) {
  return MostFrequentCodes(ctx, data, std::min(n_rows, data.n_rows), n_codes, kByteCells);
}

std::vector<std::uint32_t> FindOverlaps(Context const& ctx, ByteColumns const& data,
                                        Span<std::uint32_t const> most_frequent) {
  LargestOfThreads overlaps(ctx, data.n_cols);
  ParallelForBlocks(ctx, data.n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    std::array<std::uint32_t, kRowsPerBlock> last{};  // 1 + the index of the last feature with an unusual code
    auto* const found = overlaps.OfThread();
    for (std::uint32_t feature = 0; feature < most_frequent.size(); ++feature) {
      if (most_frequent[feature] == kNoMostFrequent) continue;
      auto const largest =
          MarkUnusual(data.Of(feature) + begin, most_frequent[feature], end - begin, feature + 1, last.data());
      found[feature] = std::max(found[feature], largest);
    }
  });
  auto result = overlaps.Combine(ctx);
  for (std::uint32_t feature = 0; feature < most_frequent.size(); ++feature) {
    auto const follows_full = feature > 0 && most_frequent[feature - 1] == kNoMostFrequent;
    if (most_frequent[feature] == kNoMostFrequent || follows_full) result[feature] = feature;
  }
  return result;
}

std::vector<std::uint32_t> FindOverlaps(Context const& ctx, CsrStorage const& data, std::int64_t n_cols) {
  LargestOfThreads overlaps(ctx, n_cols);
  auto const n_rows = static_cast<std::int64_t>(data.row_ptr.size()) - 1;
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    auto* const found = overlaps.OfThread();
    auto const* features = data.features.data();
    for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row) {
      for (auto i = data.row_ptr[row] + 1; i < data.row_ptr[row + 1]; ++i) {
        found[features[i]] = std::max(found[features[i]], features[i - 1] + 1);
      }
    }
  });
  return overlaps.Combine(ctx);
}

std::vector<FeatureBundle> BundleNeighbours(Span<std::uint32_t const> overlaps, Span<std::uint32_t const> n_cells,
                                            std::uint32_t spare) {
  std::vector<FeatureBundle> bundles;
  std::uint32_t end_cell = 0;
  for (std::uint32_t feature = 0; feature < n_cells.size(); ++feature) {
    auto const joins = !bundles.empty() && overlaps[feature] <= bundles.back().first &&
                       end_cell + n_cells[feature] - bundles.back().first_cell <= kByteCells;
    if (!joins) {
      bundles.push_back({feature, feature, end_cell});
      if (n_cells[feature] + spare <= kByteCells) end_cell += spare;
    }
    bundles.back().last = feature + 1;
    end_cell += n_cells[feature];
  }
  return bundles;
}

void BundleCodes(ByteColumns const& data, FeatureBundle const& bundle, Span<std::uint32_t const> most_frequent,
                 Span<std::uint32_t const> cell_begin, std::int64_t begin, Span<std::uint8_t> out) {
  auto const n = static_cast<std::int64_t>(out.size());
  if (bundle.IsSingle()) {
    std::copy_n(data.Of(bundle.first) + begin, n, out.data());
    return;
  }
  std::fill_n(out.data(), n, static_cast<std::uint8_t>(most_frequent[bundle.first]));
  for (auto feature = bundle.first; feature < bundle.last; ++feature) {
    auto const offset = static_cast<std::uint8_t>(cell_begin[feature] - bundle.first_cell);
    auto const most_frequent_code = static_cast<std::uint8_t>(most_frequent[feature]);
    auto const* codes = data.Of(feature) + begin;
    for (std::int64_t i = 0; i < n; ++i) {
      out[i] = codes[i] == most_frequent_code ? out[i] : static_cast<std::uint8_t>(codes[i] + offset);
    }
  }
}

}  // namespace kauri
