/// \file The sums over leaves of dependence.h, by curve and surface.
#pragma once

#include <cstdint>
#include <vector>

#include "predictor/dependence/axes.h"
#include "predictor/dependence/dependence.h"
#include "predictor/dependence/leaf_boxes.h"
#include "predictor/dependence/leaf_shares.h"

namespace kauri {

/// Returns the slot of a feature; -1 if no tree uses it.
std::int32_t FeatureSlot(Forest const& forest, std::uint32_t feature);

/// Returns a number of the pair that sorts by (smaller feature, larger feature).
std::uint64_t KeyOfPair(std::uint32_t a, std::uint32_t b);

struct CountedTree {
  TreeBoxes boxes;
  LeafShares shares;
};

class DependenceSums {
 public:
  /// Everything must outlive the sums but `start`. \throws Error(kParameter) if there are too many numbers.
  DependenceSums(Forest const& forest, std::vector<Axis> const& axes, DependenceRequest const& request,
                 Span<double const> start);
  /// Adds the leaves of trees, which must come in the order of the forest.
  void Add(Context const& ctx, std::vector<CountedTree> const& batch);
  /// Returns the result. Nothing can be added afterwards.
  Dependence Finish(Context const& ctx);

 private:
  /// The values of one curve (a single row of cells) or surface: [n_outputs, n_rows, n_cols] from `begin` on.
  struct Plane {
    std::size_t begin;
    std::int64_t n_rows;
    std::int64_t n_cols;
  };
  /// A leaf of a batch that a plane depends on, with the places of the plane's features.
  struct Term {
    std::uint32_t tree;
    std::uint32_t leaf;
    std::uint32_t a;
    std::uint32_t b;
  };
  using Terms = std::vector<std::vector<Term>>;  ///< by plane

  std::int64_t NumCells(std::uint32_t feature) const;
  /// Returns the end of a plane's values. \throws std::bad_alloc: addresses have 32 bits, and it is beyond them.
  std::size_t EndOf(Plane const& plane) const;
  void AddPlane(std::int64_t n_rows, std::int64_t n_cols);
  void ListTerms(std::vector<CountedTree> const& batch, Terms* terms);
  void ListLeaf(CountedTree const& tree, Term term, Terms* terms) const;
  void AddTerm(CountedTree const& tree, Term const& term, std::size_t plane);
  void AddToCurve(CountedTree const& tree, Term const& term, double value, double* to, std::int64_t n_cells) const;
  void AddToSurface(CountedTree const& tree, Term const& term, double value, double* to, Plane const& plane) const;

  Forest const& forest_;
  std::vector<Axis> const& axes_;
  DependenceRequest const& request_;
  std::vector<std::int64_t> curve_of_slot_;                           ///< -1: none
  std::vector<std::pair<std::uint64_t, std::size_t>> plane_of_pair_;  ///< by KeyOfPair, ascending
  std::vector<Plane> planes_;                                         ///< curves, then surfaces
  Dependence sums_;
};

}  // namespace kauri
