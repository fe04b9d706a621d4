#include "booster/receipt/data_digests.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/files/sha256.h"
#include "common/threads/parallel_for.h"

namespace kauri {
namespace {

constexpr std::int64_t kBlockRows = 4096;
constexpr std::int64_t kMostTileValues = 1 << 20;

/// Digest of the present entries of rows, added one row after the other.
class RowsDigest {
 public:
  void AddEntry(std::uint32_t column, float value) {
    columns_.push_back(column);
    values_.push_back(value + 0.0F);  // -0 is 0
  }
  void EndRow() {
    auto const n_entries = static_cast<std::uint64_t>(columns_.size());
    digest_.AddValues(Span<std::uint64_t const>(&n_entries, 1));
    digest_.AddValues(Span<std::uint32_t const>(columns_));
    digest_.AddValues(Span<float const>(values_));
    columns_.clear();
    values_.clear();
  }
  std::string Finish() { return digest_.Finish(); }

 private:
  Sha256 digest_;
  std::vector<std::uint32_t> columns_;
  std::vector<float> values_;
};

std::string DigestOfSparseRows(CsrStorage const& csr, std::int64_t begin, std::int64_t end) {
  RowsDigest digest;
  Span<std::uint32_t const> const columns(csr.features);
  Span<float const> const values(csr.values);
  for (auto row = begin; row < end; ++row) {
    for (auto entry = csr.row_ptr[ToSize(row)]; entry < csr.row_ptr[ToSize(row) + 1]; ++entry) {
      digest.AddEntry(columns[entry], values[entry]);
    }
    digest.EndRow();
  }
  return digest.Finish();
}

std::string DigestOfRows(DataView const& view, std::int64_t begin, std::int64_t end) {
  RowsDigest digest;
  auto const n_cols = view.NumCols();
  auto const at_once = std::clamp<std::int64_t>(kMostTileValues / std::max<std::int64_t>(n_cols, 1), 1, kBlockRows);
  std::vector<float> tile(ToSize(at_once * n_cols));
  for (auto first = begin; first < end; first += at_once) {
    auto const last = std::min(first + at_once, end);
    view.CopyRows(first, last, n_cols, tile.data());
    auto const* value = tile.data();
    for (auto row = first; row < last; ++row) {
      for (std::int64_t column = 0; column < n_cols; ++column, ++value) {
        if (!std::isnan(*value)) digest.AddEntry(static_cast<std::uint32_t>(column), *value);
      }
      digest.EndRow();
    }
  }
  return digest.Finish();
}

std::string DigestOfFeatures(Context const& ctx, DataMatrix const& data) {
  auto const n_rows = data.NumRows();
  auto const is_sparse = data.Store() == nullptr && !data.IsDense();
  auto const view = data.View();
  std::vector<std::string> blocks(ToSize((n_rows + kBlockRows - 1) / kBlockRows));
  ParallelForBlocks(ctx, n_rows, kBlockRows, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
    blocks[ToSize(block)] = is_sparse ? DigestOfSparseRows(data.Csr(), begin, end) : DigestOfRows(*view, begin, end);
  });
  Sha256 digest;
  digest.Add(std::to_string(n_rows) + " rows, " + std::to_string(data.NumCols()) + " columns\n");
  for (auto const& block : blocks) digest.Add(block);
  return digest.Finish();
}

/// Adds each text after its length, so that different lists give different bytes.
void AddTexts(std::vector<std::string> const& texts, Sha256* digest) {
  digest->Add(std::to_string(texts.size()) + '\n');
  for (auto const& text : texts) digest->Add(std::to_string(text.size()) + '\n' + text);
}

/// Returns the digest of the columns' names, types and category names. All numerical types count as one type. Columns
/// without category names add nothing, so a missing table and an empty one are the same.
std::string DigestOfColumns(MetaInfo const& info) {
  auto types = info.feature_types;
  if (types.empty()) types.assign(ToSize(info.n_cols), "q");
  for (auto& type : types) type = type == "c" ? "c" : "q";
  Sha256 digest;
  AddTexts(info.feature_names, &digest);
  AddTexts(types, &digest);
  for (std::size_t column = 0; column < info.category_names.size(); ++column) {
    auto const& names = info.category_names[column];
    if (names.Size() == 0) continue;
    digest.Add(std::to_string(column) + '\n');
    AddTexts(names.texts, &digest);
    digest.AddValues(Span<std::int64_t const>(names.numbers));
  }
  return digest.Finish();
}

template <typename T>
std::string DigestOfValues(std::vector<T> const& values) {
  Sha256 digest;
  digest.Add(std::to_string(values.size()) + '\n');
  digest.AddValues(Span<T const>(values));
  return digest.Finish();
}

}  // namespace

std::map<std::string, std::string> DigestsOfData(Context const& ctx, DataMatrix const& data) {
  auto const& info = data.Info();
  return {{"features", DigestOfFeatures(ctx, data)},
          {"names and types", DigestOfColumns(info)},
          {"query groups", DigestOfValues(info.group_ptr)},
          {"values of label", DigestOfValues(info.labels)},
          {"values of weight", DigestOfValues(info.weights)},
          {"values of base_margin", DigestOfValues(info.base_margin)},
          {"values of label_lower_bound", DigestOfValues(info.label_lower_bound)},
          {"values of label_upper_bound", DigestOfValues(info.label_upper_bound)},
          {"values of feature_weights", DigestOfValues(info.feature_weights)}};
}

}  // namespace kauri
