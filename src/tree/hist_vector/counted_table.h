/// \file A gradient table with row counts: after gradients and hessians each row has a 1 if it is used, and a 0
/// otherwise. The sums of histograms then include the counts that min_data_in_leaf needs.
#pragma once

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <cstdint>
#include <new>

#include "common/threads/parallel_for.h"
#include "kauri/context.h"
#include "kauri/gradient.h"
#include "kauri/span.h"
#include "kauri/table_stride.h"

namespace kauri {

class CountedTable {
 public:
  /// sampled: [n_rows], or empty.
  CountedTable(Context const& ctx, GradientTableView const& table, Span<std::uint8_t const> sampled) : view_(table) {
    constexpr std::int64_t kRowsPerBlock = 1 << 12;
    auto const n_numbers = table.NumOutputs() + table.n_hessians;
    auto const n_rows = static_cast<std::int64_t>(table.values.size()) / table.stride;
    view_.stride = TableStride(n_numbers + 1);
    auto const size = static_cast<std::size_t>(n_rows * view_.stride);
    values_ = hwy::AllocateAligned<std::int32_t>(std::max(size, std::size_t{1}));  // a rank may have no rows
    if (values_ == nullptr) throw std::bad_alloc();
    ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
      for (auto row = begin; row < end; ++row) {
        auto const* from = table.values.data() + row * table.stride;
        auto* const to = values_.get() + row * view_.stride;
        std::fill(std::copy(from, from + n_numbers, to), to + view_.stride, 0);
        to[n_numbers] = sampled.empty() ? 1 : sampled[static_cast<std::size_t>(row)];
      }
    });
    view_.values = {values_.get(), size};
  }

  GradientTableView const& View() const { return view_; }

 private:
  hwy::AlignedFreeUniquePtr<std::int32_t[]> values_;
  GradientTableView view_;
};

}  // namespace kauri
