/// \file Rows in the categories that a model knows.
///
/// Three things may happen to a categorical value before a tree sees it. Where rows and model both name the categories
/// and not in the same order, it becomes the model's number of its name. Where the model's policy says so, a category
/// that training has not seen becomes missing, or an error. Where trees know categories by what labels their rows had
/// (categorical_encoding=ordered), it becomes that number, which for one that training has not seen is the prior. What
/// numbers have no place there are further columns then: those of combinations, and of further classes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "data/categories/added_columns.h"
#include "kauri/categories.h"
#include "kauri/data_matrix.h"
#include "kauri/model.h"

namespace kauri {

/// See above. `rows` must outlive it; errors for values come from CopyRows and CopyFeatures.
class CategoryView : public DataView {
 public:
  /// `model` must outlive it. \throws Error(kData) for names of another type than the model's, Error(kModel) for a
  /// policy about unseen categories where the model does not say which it has seen.
  CategoryView(ModelCategories const& model, DataView const& rows);

  std::int64_t NumRows() const override { return rows_.NumRows(); }
  /// Those included that only the model has.
  std::int64_t NumCols() const override;
  void CopyRows(std::int64_t begin, std::int64_t end, std::int64_t n_cols, float* tile) const override;
  bool CopyFeatures(std::int64_t begin, std::int64_t end, Span<std::int32_t const> slot_of_feature,
                    std::int64_t n_slots, float* tile) const override;

  /// Compares every value of the columns whose rows may hold a category that is refused, at the cost of one more pass
  /// over these columns. Other columns cost nothing. \throws Error(kData) for the first such value.
  void CheckValues() const;

 private:
  struct Column {
    std::size_t feature;
    std::vector<std::int32_t> codes;  ///< the model's number of the rows' categories; empty: the same
    Span<std::int32_t const> seen;    ///< ascending
    bool filters = false;             ///< what is not among `seen` is treated by the policy
    bool is_encoded = false;          ///< the model's trees know the categories by other numbers
  };

  /// What a value is in the model's categories: one of those, kUnknownCategory, or kLeftOut: it counts as missing.
  std::int32_t Known(Column const& column, float value, std::int64_t row) const;
  float Translate(Column const& column, float value, std::int64_t row) const;
  /// Whether some value of the column would be an error.
  bool MayRefuse(Column const& column) const;
  bool IsSeen(Column const& column, std::int32_t category) const;
  std::int32_t Unseen(Column const& column, float value, std::int64_t row) const;
  /// Writes the columns that only the model has, as far as n_cols goes, from a tile that has the rows' own categories.
  void Add(std::int64_t begin, std::int64_t end, std::int64_t n_cols, float* tile) const;

  ModelCategories const& model_;
  DataView const& rows_;
  std::vector<Column> columns_;
  std::vector<std::vector<std::int32_t>> named_;  ///< what `seen` points into where names stand for seen categories
  std::optional<AddedColumns> added_;             ///< if the model has some
  std::vector<std::size_t> members_;              ///< of these, places in columns_
};

/// `rows` themselves where nothing needs to be done, else through a CategoryView. A new category is judged by its
/// column: it is an error here whether or not a tree splits on the column.
class ModelRows {
 public:
  /// Both must outlive it. are_checked: the values of these rows passed for this model before, so that they are not
  /// compared again. \throws as CategoryView and CategoryView::CheckValues.
  ModelRows(Model const& model, DataView const& rows, bool are_checked = false);
  ModelRows(ModelRows const&) = delete;
  ModelRows& operator=(ModelRows const&) = delete;

  DataView const& View() const { return view_.has_value() ? static_cast<DataView const&>(*view_) : rows_; }
  bool AreTranslated() const { return view_.has_value(); }

 private:
  DataView const& rows_;
  std::optional<CategoryView> view_;
};

}  // namespace kauri
