#include "data/sketch/group_columns.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "collective/checked_collective.h"
#include "collective/reduce.h"
#include "common/files/checksum.h"
#include "data/categories/category_names.h"

namespace kauri {
namespace {

using Texts = std::vector<std::string>;

std::uint32_t DigestOf(std::string const& text, std::uint32_t before = 0) {
  return Crc32c({text.data(), text.size()}, before);
}

/// Returns the index of the first of n digests that differs between ranks, or n.
std::size_t FindDifference(Context const& ctx, std::vector<std::uint32_t> const& digests) {
  std::vector<std::uint64_t> bounds;  // for each digest its maximum, and the maximum of its complement
  for (auto const digest : digests) {
    bounds.push_back(digest);
    bounds.push_back(~digest);
  }
  MaxOverRanks(ctx, Span<std::uint64_t>(bounds));
  std::size_t at = 0;
  while (at < digests.size() &&
         static_cast<std::uint32_t>(bounds[2 * at]) == ~static_cast<std::uint32_t>(bounds[2 * at + 1])) {
    ++at;
  }
  return at;
}

/// Requires the same texts on all ranks. what: the property of a column, for the message.
void RequireSameTexts(Context const& ctx, std::string const& what, Texts const& of_columns) {
  std::vector<std::uint32_t> digests;
  for (auto const& text : of_columns) digests.push_back(DigestOf(text));
  auto const column = FindDifference(ctx, digests);
  if (column == digests.size()) return;
  RequireSameOnRanks(ctx, what + " of column " + std::to_string(column), of_columns[column]);
}

/// Returns the texts extended or cut to [n_cols].
Texts ForColumns(Texts texts, std::int64_t n_cols) {
  texts.resize(ToSize(n_cols));
  return texts;
}

Texts CategoriesOf(MetaInfo const& info) {
  Texts texts;
  for (auto const& names : info.category_names) {
    std::string text;
    for (std::size_t category = 0; category < names.Size(); ++category) {
      text += (category == 0 ? "" : ", ") + NameOfCategory(names, category);
    }
    texts.push_back(std::move(text));
  }
  return ForColumns(std::move(texts), info.n_cols);
}

void AddTexts(Texts const& texts, Parcel* parcel) {
  std::vector<std::uint64_t> lengths;
  std::vector<char> letters;
  for (auto const& text : texts) {
    lengths.push_back(text.size());
    letters.insert(letters.end(), text.begin(), text.end());
  }
  parcel->Add(lengths);
  parcel->Add(letters);
}

Texts TakeTexts(OpenParcel* parcel) {
  auto const lengths = parcel->Take<std::uint64_t>();
  auto const letters = parcel->Take<char>();
  Texts texts;
  std::size_t at = 0;
  for (auto const length : lengths) {
    if (length > letters.size() - at) FailParcel("a text of a column is longer than the message");
    texts.emplace_back(letters.data() + at, length);
    at += length;
  }
  return texts;
}

void AddCategories(CategoryNameTable const& table, Parcel* parcel) {
  std::vector<std::uint8_t> types;
  for (auto const& names : table) types.push_back(static_cast<std::uint8_t>(names.number_type));
  parcel->Add(types);
  for (auto const& names : table) {
    AddTexts(names.texts, parcel);
    parcel->Add(names.numbers);
  }
}

CategoryNameTable TakeCategories(OpenParcel* parcel) {
  CategoryNameTable table;
  for (auto const type : parcel->Take<std::uint8_t>()) {
    auto const number_type = static_cast<CategoryNames::Type>(type);
    if (number_type < CategoryNames::Type::kI8 || number_type > CategoryNames::Type::kU64) {
      FailParcel("the categories of a column have the unknown type " + std::to_string(type));
    }
    auto texts = TakeTexts(parcel);
    table.push_back({std::move(texts), parcel->Take<std::int64_t>(), number_type});
  }
  return table;
}

}  // namespace

void RequireSameColumns(Context const& ctx, MetaInfo const& info) {
  if (!IsDistributed(ctx)) return;
  auto const names = ForColumns(info.feature_names, info.n_cols);
  auto const types = ForColumns(info.feature_types, info.n_cols);
  auto const categories = CategoriesOf(info);
  auto digest = DigestOf(std::to_string(info.n_cols));
  for (auto const* texts : {&names, &types, &categories}) {
    for (auto const& text : *texts) digest = DigestOf(std::to_string(text.size()) + ':' + text, digest);
  }
  if (FindDifference(ctx, {digest}) == 1) return;
  RequireSameOnRanks(ctx, "the number of columns", std::to_string(info.n_cols));
  RequireSameTexts(ctx, "the name", names);
  RequireSameTexts(ctx, "the type", types);
  RequireSameTexts(ctx, "the categories", categories);
}

void TakeColumnTextsOfGroup(Context const& ctx, std::int64_t n_rows, MetaInfo* info) {
  auto const size = static_cast<std::uint64_t>(ctx.collective->Size());
  auto const rank = static_cast<std::uint64_t>(ctx.collective->Rank());
  std::array<std::uint64_t, 2> most{n_rows == 0 ? 1U : 0U, n_rows > 0 ? size - rank : 0U};
  MaxOverRanks(ctx, {most.data(), most.size()});
  if (most[0] == 0 || most[1] == 0) return;
  auto const giver = size - most[1];
  Parcel mine;
  if (rank == giver) {
    AddTexts(info->feature_names, &mine);
    AddTexts(info->feature_types, &mine);
    AddCategories(info->category_names, &mine);
  }
  auto all = GatherParcels(ctx, mine);
  if (n_rows > 0) return;
  auto* const given = &all[giver];
  info->feature_names = TakeTexts(given);
  info->feature_types = TakeTexts(given);
  info->category_names = TakeCategories(given);
}

}  // namespace kauri
