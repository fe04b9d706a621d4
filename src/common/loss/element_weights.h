/// \file Weights of the elements of the label table: one element per row and target, row-major.
#pragma once

#include <array>
#include <cstdint>

#include "common/block_sum.h"
#include "kauri/meta_info.h"

namespace kauri {

using ElementBuffer = std::array<float, kRowBlock>;

/// Returns the weights of elements [begin, end), at most kRowBlock of them; 1 if no weights are given. No copy if rows
/// are elements; otherwise they are written to `buffer`.
inline float const* ElementWeights(MetaInfo const& info, std::int64_t begin, std::int64_t end, ElementBuffer* buffer) {
  if (!info.weights.empty() && info.n_targets == 1) return info.weights.data() + begin;
  if (info.weights.empty()) {
    buffer->fill(1.0F);
    return buffer->data();
  }
  for (auto element = begin; element < end; ++element) {
    (*buffer)[element - begin] = info.Weight(element / info.n_targets);
  }
  return buffer->data();
}

}  // namespace kauri
