#include "data/copies/recode.h"

#include <algorithm>
#include <limits>
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

namespace {

/// Returns the columns in which trees find the numbers of encoded columns: [n_encoded, n_numbers].
std::vector<std::int64_t> PlacesOf(OrderedEncoding const& encoding, std::vector<std::size_t> const& encoded) {
  std::vector<std::int64_t> places;
  auto added = static_cast<std::int64_t>(encoding.columns.size() + encoding.combinations.size());
  for (auto const column : encoded) {
    places.push_back(static_cast<std::int64_t>(column));
    for (std::int64_t number = 1; number < encoding.settings.n_numbers; ++number) places.push_back(added++);
  }
  return places;
}

/// Rows with some columns replaced or added.
class OrderedView : public DataView {
 public:
  OrderedView(DataView const& rows, std::int64_t n_cols, std::vector<std::int64_t> places, std::vector<float> values)
      : rows_(rows), n_cols_(n_cols), places_(std::move(places)), values_(std::move(values)) {}

  std::int64_t NumRows() const override { return rows_.NumRows(); }
  std::int64_t NumCols() const override { return n_cols_; }
  void CopyRows(std::int64_t begin, std::int64_t end, std::int64_t n_cols, float* tile) const override {
    rows_.CopyRows(begin, end, n_cols, tile);
    auto const n_places = places_.size();
    for (auto row = begin; row < end; ++row) {
      for (std::size_t i = 0; i < n_places; ++i) {
        if (places_[i] < n_cols) tile[(row - begin) * n_cols + places_[i]] = values_[row * n_places + i];
      }
    }
  }

 private:
  DataView const& rows_;
  std::int64_t n_cols_;
  std::vector<std::int64_t> places_;
  std::vector<float> values_;  ///< [n_rows, n_places]
};

/// Extends the metadata to the columns added after the columns of the data. Each added column gets the smallest feature
/// weight of its members.
void AddColumns(OrderedEncoding const& encoding, MetaInfo* info) {
  auto const added = encoding.AddedColumns();
  info->n_cols = static_cast<std::int64_t>(encoding.columns.size() + added.size());
  info->feature_types.resize(static_cast<std::size_t>(info->n_cols), "float");
  info->feature_names.clear();
  if (!info->category_names.empty()) info->category_names.resize(static_cast<std::size_t>(info->n_cols));
  if (info->feature_weights.empty()) return;
  for (auto const& of : added) {
    auto weight = std::numeric_limits<float>::max();
    for (auto const member : encoding.MembersOf(of.column)) weight = std::min(weight, info->feature_weights[member]);
    info->feature_weights.push_back(weight);
  }
}

std::unique_ptr<DataMatrix> CopyEncoded(Context const& ctx, DataMatrix const& matrix, OrderedEncoding const& encoding,
                                        DataView const& rows) {
  auto copy = DataMatrix::FromView(ctx, rows);
  auto* const info = copy->MutableInfo();
  *info = matrix.Info();
  info->is_encoded = true;
  for (std::size_t feature = 0; feature < info->feature_types.size(); ++feature) {
    if (!encoding.Encodes(feature)) continue;
    info->feature_types[feature] = "float";
    if (feature < info->category_names.size()) info->category_names[feature] = {};
  }
  if (encoding.NumAddedColumns() > 0) AddColumns(encoding, info);
  return copy;
}

}  // namespace

std::unique_ptr<DataMatrix> EncodeInOrder(Context const& ctx, DataMatrix const& matrix, OrderedEncoding const& encoding,
                                          OrderedRows const& rows, std::int64_t permutation) {
  auto const view = matrix.View();
  auto const n_cols = matrix.NumCols() + encoding.NumAddedColumns();
  OrderedView const ordered(*view, n_cols, PlacesOf(encoding, rows.features),
                            OrderedValues(ctx, encoding, rows, permutation));
  return CopyEncoded(ctx, matrix, encoding, ordered);
}

std::unique_ptr<DataMatrix> EncodeByTable(Context const& ctx, DataMatrix const& matrix, Model const& model) {
  auto const view = matrix.View();
  ModelRows const rows(model, *view);
  return CopyEncoded(ctx, matrix, *model.categories.ordered, rows.View());
}

}  // namespace kauri
