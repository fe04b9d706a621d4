#include "data/sketch/group_columns.h"

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

}  // namespace kauri
