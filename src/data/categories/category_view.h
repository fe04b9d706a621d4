/// \file Rows with their categories translated into the categories of a model.
///
/// Three things may happen to a categorical value before a tree sees it:
/// - If rows and model both name the categories, in different orders, the value becomes the model's number of its name.
/// - If the model's policy says so, a category that training has not seen becomes missing, or an error.
/// - If the trees use ordered target statistics (categorical_encoding=ordered), the value becomes its statistic, which
///   is the prior for a category that training has not seen. Statistics that do not fit into the categorical columns
///   take further columns: the statistics of combinations and of further classes.
///
/// AddedColumns has the values of rows in the columns that only a model with categorical_encoding=ordered has
/// (OrderedEncoding::AddedColumns).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "kauri/categories.h"
#include "kauri/data_matrix.h"
#include "kauri/model.h"
#include "kauri/ordered_encoding.h"
#include "kauri/span.h"

namespace kauri {

class AddedColumns {
 public:
  /// `encoding` must outlive this object.
  explicit AddedColumns(OrderedEncoding const& encoding);

  /// Returns the features that the columns are made of, ascending.
  std::vector<std::size_t> const& Members() const { return members_; }
  std::size_t Count() const { return columns_.size(); }
  /// Returns the number of positions of a row: the positions of the members, followed by the positions of the
  /// combinations.
  std::size_t NumPositions() const { return members_.size() + parts_.size(); }
  /// Computes the added columns of one row. positions: [NumPositions()], the positions of the members filled in by the
  /// caller. numbers: [Count()], NaN where a member is missing, the prior for categories and cells that did not occur.
  void Fill(Span<std::int32_t> positions, Span<float> numbers) const;

 private:
  /// Indices into the positions.
  struct Part {
    std::size_t base;
    std::size_t feature;
  };

  std::size_t PlaceOf(std::size_t column) const;

  OrderedEncoding const& encoding_;
  std::vector<NumberColumn> columns_;
  std::vector<std::size_t> members_;
  std::vector<Part> parts_;          ///< [n_combinations]
  std::vector<std::size_t> places_;  ///< [n_columns], indices into the positions
};

/// Rows as described above. `rows` must outlive it. CopyRows and CopyFeatures report errors in values.
class CategoryView : public DataView {
 public:
  /// `model` must outlive it. \throws Error(kData) for names of another type than the model's; Error(kModel) for a
  /// policy about unseen categories if the model does not record which categories it has seen.
  CategoryView(ModelCategories const& model, DataView const& rows);

  std::int64_t NumRows() const override { return rows_.NumRows(); }
  /// Includes the columns that only the model has.
  std::int64_t NumCols() const override;
  void CopyRows(std::int64_t begin, std::int64_t end, std::int64_t n_cols, float* tile) const override;
  bool CopyFeatures(std::int64_t begin, std::int64_t end, Span<std::int32_t const> slot_of_feature,
                    std::int64_t n_slots, float* tile) const override;

  /// Compares every value of the columns that may hold a refused category, at the cost of one more pass over these
  /// columns. Other columns cost nothing. \throws Error(kData) for the first refused value.
  void CheckValues() const;

 private:
  struct Column {
    std::size_t feature;
    std::vector<std::int32_t> codes;  ///< the model's numbers of the rows' categories; empty if they are the same
    Span<std::int32_t const> seen;    ///< ascending
    bool filters = false;             ///< categories not in `seen` are treated by the policy
    bool is_encoded = false;          ///< the model's trees use other numbers for the categories
  };

  /// Returns the model's category of a value, kUnknownCategory, or kLeftOut for a value that counts as missing.
  std::int32_t Known(Column const& column, float value, std::int64_t row) const;
  float Translate(Column const& column, float value, std::int64_t row) const;
  /// Returns whether some value of the column could be an error.
  bool MayRefuse(Column const& column) const;
  bool IsSeen(Column const& column, std::int32_t category) const;
  std::int32_t Unseen(Column const& column, float value, std::int64_t row) const;
  /// Writes the columns that only the model has, up to n_cols, from a tile that has the rows' own categories.
  void Add(std::int64_t begin, std::int64_t end, std::int64_t n_cols, float* tile) const;

  ModelCategories const& model_;
  DataView const& rows_;
  std::vector<Column> columns_;
  std::vector<std::vector<std::int32_t>> named_;  ///< memory of `seen` where the names stand for the seen categories
  std::optional<AddedColumns> added_;             ///< set if the model has such columns
  std::vector<std::size_t> members_;              ///< indices into columns_ of the members of added_
};

/// `rows` themselves if they need no translation, else a CategoryView of them. Every column is checked for refused
/// categories: a new category is an error whether or not a tree splits on the column.
class ModelRows {
 public:
  /// Both must outlive it. are_checked: the values of these rows were checked for this model before and are not
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
