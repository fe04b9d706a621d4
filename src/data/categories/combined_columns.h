/// \file The numbers that a model's combinations of categorical columns have for rows (OrderedEncoding::combinations).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kauri/ordered_encoding.h"
#include "kauri/span.h"

namespace kauri {

class CombinedColumns {
 public:
  /// `encoding` must outlive it.
  explicit CombinedColumns(OrderedEncoding const& encoding);

  /// The features that combinations are made of, ascending.
  std::vector<std::size_t> const& Members() const { return members_; }
  std::size_t Count() const { return parts_.size(); }
  /// Of a row. positions: [n_members + n_combinations], the members' given; numbers: [n_combinations], NaN where a
  /// member is missing, the prior for cells that did not occur.
  void Fill(Span<std::int32_t> positions, Span<float> numbers) const;

 private:
  /// Places among the positions.
  struct Part {
    std::size_t base;
    std::size_t feature;
  };

  OrderedEncoding const& encoding_;
  std::vector<std::size_t> members_;
  std::vector<Part> parts_;  ///< [n_combinations]
};

}  // namespace kauri
