/// \file Contributions of one tree to 16 rows, in vectors whose lanes are rows (shap_quadrature.h has the formulas).
///
/// Lower bound, in vector operations on 16 rows: per edge to a split 5 per point (down: factor and product; up: factor,
/// product with it, inner product), per tip 3 per point, so 6.5 per leaf and point of a full tree. A repeated split
/// adds 3 per point. Every constant is a broadcast load within such an operation, so arithmetic is the bound: at two
/// operations per cycle and 4 points 13 cycles per leaf and 16 rows. Interactions add, per split and feature above it,
/// 1 per point and 2. Measured on a Zen 5 (AVX-512, 3.8 GHz): 0.6 ns per leaf and row at 4 points, 0.9 at 6, between
/// two and three times the bound; the rest is bookkeeping and moving the levels through memory.
#pragma once

#include <hwy/aligned_allocator.h>

#include <cstdint>
#include <vector>

#include "predictor/shap/quadrature_forest.h"

namespace kauri {

/// Maximum rows of a job: two of the widest vectors.
constexpr std::int64_t kQuadratureRows = 32;
constexpr std::int64_t kQuadratureLanes = 16;

/// Reusable memory of a traversal, for one thread.
struct QuadratureScratch {
  struct OpenSplit {
    QuadratureSplit const* split;
    QuadraturePartner const* partners;
    std::uint32_t n_partners;
  };
  std::vector<OpenSplit> open;  ///< by level
  hwy::AlignedFreeUniquePtr<float[]> floats;
  std::size_t n_floats = 0;

  /// Grows the memory to the size that the tree needs.
  void Prepare(QuadratureTree const& tree, std::int32_t points, bool with_pairs);
};

/// A tree and the rows to explain. Nothing is owned. The results of a row do not depend on the other rows.
struct QuadratureJob {
  QuadratureTree const* tree = nullptr;  ///< must have splits
  QuadratureRule const* rule = nullptr;
  CategorySets const* categories = nullptr;
  std::int64_t n_rows = 0;             ///< up to kQuadratureRows; the other lanes may have any keys
  std::int32_t const* keys = nullptr;  ///< [n_slots, kQuadratureRows]
  /// [n_slots, kQuadratureRows]; contributions are added, or AloneEffects if tree->alone is set
  double* phi = nullptr;
  double* pairs = nullptr;  ///< [pairs of the output, kQuadratureRows]; pairs are added; nullptr: no pairs
};

void AddQuadrature(QuadratureJob const& job, QuadratureScratch* scratch);

}  // namespace kauri
