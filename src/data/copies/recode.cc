#include "data/copies/recode.h"

#include <algorithm>
#include <utility>

#include "data/bins/bin_store.h"
#include "data/categories/categories.h"
#include "data/categories/category_names.h"
#include "data/categories/category_view.h"
#include "kauri/error.h"

namespace kauri {
namespace {

/// Returns the categories that occur, numbered as in `names`.
CategoryLists RecodedLists(Context const& ctx, DataMatrix const& matrix, CategoryNameTable const& names) {
  auto lists = FindCategories(ctx, matrix);
  auto const& old_names = matrix.Info().category_names;
  for (std::size_t feature = 0; feature < std::min(lists.size(), old_names.size()); ++feature) {
    if (old_names[feature].Size() == 0) continue;
    auto const codes = CategoryCodes(old_names[feature], names[feature]);
    for (auto& category : lists[feature]) {
      if (static_cast<std::size_t>(category) < codes.size()) category = codes[category];
    }
    std::sort(lists[feature].begin(), lists[feature].end());
  }
  return lists;
}

/// Encodes the recoded rows. The values of numbers are the lower bounds of their bins here, which lie in the same bins.
std::unique_ptr<DataMatrix> RecodeBins(Context const& ctx, DataMatrix const& matrix, BinStore const& store,
                                       CategoryNameTable const& names, DataView const& recoded) {
  if (store.IsInFile()) {
    Fail(ErrorKind::kData,
         "the categories of data in external memory cannot be renumbered, and the categories of the model ",
         "are in another order. Give them in the model's order (get_categories), new ones at the end.");
  }
  auto cuts = ReplaceCategories(store.Cuts(), RecodedLists(ctx, matrix, names));
  auto bins = std::make_shared<BinMatrix>(ctx, std::move(cuts), store.Layout().Shape());
  bins->Append(ctx, recoded);
  bins->Finish(ctx);
  auto const n_entries = bins->CountEntries(ctx);
  return DataMatrix::FromStore(std::make_shared<BinStore const>(std::move(bins), store.MaxBin()), matrix.NumRows(),
                               matrix.NumCols(), n_entries);
}

}  // namespace

std::unique_ptr<DataMatrix> RecodeCategories(Context const& ctx, DataMatrix const& matrix, CategoryNameTable names) {
  ModelCategories const target{names, {}, UnseenCategory::kXGBoost};
  auto const rows = matrix.View();
  CategoryView const recoded(target, *rows);
  auto const bins = BinsOf(matrix);
  auto copy = bins == nullptr ? DataMatrix::FromView(ctx, recoded) : RecodeBins(ctx, matrix, *bins, names, recoded);
  *copy->MutableInfo() = matrix.Info();
  copy->MutableInfo()->category_names = std::move(names);
  return copy;
}

}  // namespace kauri
