/// \file Values of rows in the columns that only a model with categorical_encoding=ordered has
/// (OrderedEncoding::AddedColumns).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

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

}  // namespace kauri
