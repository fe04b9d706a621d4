/// \file The numbers that rows have in the columns which only a model of categorical_encoding=ordered knows of
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
  /// `encoding` must outlive it.
  explicit AddedColumns(OrderedEncoding const& encoding);

  /// The features that the columns are made of, ascending.
  std::vector<std::size_t> const& Members() const { return members_; }
  std::size_t Count() const { return columns_.size(); }
  /// As many positions as a row has: those of members, then of combinations.
  std::size_t NumPositions() const { return members_.size() + parts_.size(); }
  /// Of a row. positions: [NumPositions()], the members' given; numbers: [Count()], NaN where a member is missing, the
  /// prior for categories and cells that did not occur.
  void Fill(Span<std::int32_t> positions, Span<float> numbers) const;

 private:
  /// Places among the positions.
  struct Part {
    std::size_t base;
    std::size_t feature;
  };

  std::size_t PlaceOf(std::size_t column) const;

  OrderedEncoding const& encoding_;
  std::vector<NumberColumn> columns_;
  std::vector<std::size_t> members_;
  std::vector<Part> parts_;          ///< [n_combinations]
  std::vector<std::size_t> places_;  ///< [n_columns], among the positions
};

}  // namespace kauri
