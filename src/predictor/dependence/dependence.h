/// \file Exact dependence of a forest on one feature and on pairs of features, at every value at once.
///
/// A leaf with value v adds v times the indicators of its boxes, one per feature of its path (leaf_boxes.h). The
/// partial dependence (Friedman 2001) replaces the indicators of the other features by their joint mean over a
/// background. With the shares S, S_a, S_ab of leaf_shares.h and the indicators 1_a, 1_b, summed over the leaves:
///     base       = sum of v S
///     curve_a    = base + sum of v (S_a 1_a - S)                             over the leaves with a on their path
///     surface_ab = sum of v (S_ab 1_a 1_b - S_a 1_a - S_b 1_b + S)           over the leaves with both on their path
/// so the joint partial dependence of a pair is curve_a + curve_b - base + surface_ab, and surface_ab is 0 if no path
/// has both features. These are functions of cells (axes.h), without any grid.
///
/// With independent features (Distribution::kProduct) the same sums are the functional analysis of variance (Hoeffding
/// 1948; Hooker 2004) under the product of the background's marginal distributions: curve_a - base and surface_ab have
/// the mean 0 over each of their features, which is what purification (Lengerich et al. 2020) attains for tables.
///
///   1. For a batch of trees, find each leaf's boxes and shares, tree by tree.
///   2. List what each leaf adds to each curve and surface, by curve and surface.
///   3. For each curve and surface, add the leaves' boxes at their corners only, in the order of the trees.
///   4. At the end, sums over the cells (in two directions for surfaces) turn corners into boxes.
/// The cost is step 1, whose part that grows with the rows a device can do (row_counter.h), four corners per leaf and
/// pair, and one addition per cell. Sums over rows are integers, and sums over leaves are float64 in a fixed order, so
/// the bits depend neither on the number of threads nor on the device. Woodelf++ (Nadel and Wettenstein
/// 2026) computes the same quantities from tables of patterns.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/span.h"
#include "predictor/forest/forest.h"

namespace kauri {

struct DependencePair {
  std::uint32_t first;
  std::uint32_t second;
};

/// Distribution of the features outside a curve or surface.
enum class Distribution {
  kRows,    ///< the background's rows, so that features depend on each other as they do there
  kProduct  ///< the background's values, each feature independent of the others
};

struct DependenceRequest {
  std::vector<std::uint32_t> features;  ///< different ones
  std::vector<DependencePair> pairs;    ///< different ones, of `features`, first < second
  Distribution distribution = Distribution::kRows;
};

struct DependenceTask {
  Forest const& forest;
  DataView const& background;            ///< at least one row
  Span<float const> weights;             ///< [n_rows] with a sum above 0, or empty
  Span<double const> start;              ///< [n_outputs], the mean start of the margins
  Predictor const* predictor = nullptr;  ///< on whose device the rows are counted; nullptr: on the host
};

struct Dependence {
  std::int64_t n_outputs = 1;
  std::vector<std::int64_t> threshold_begin;  ///< by listed feature and the end, index into thresholds
  std::vector<float> thresholds;              ///< ascending for each feature
  /// The base, [n_outputs]; a curve per feature, [n_outputs, cells]; a surface per pair, [n_outputs, cells of the
  /// first, cells of the second]. A feature of n thresholds has n + 2 cells (axes.h).
  std::vector<double> values;
};

/// Returns the pairs of `features` that occur together on a path, by (first, second), first < second.
std::vector<DependencePair> PairsTogether(Forest const& forest, std::vector<std::uint32_t> const& features);

/// Computes curves and surfaces. \throws Error(kParameter) if they have more numbers than memory can hold.
Dependence ComputeDependence(Context const& ctx, DependenceTask const& task, DependenceRequest const& request);

/// Returns the cell of each row and listed feature, [n_rows, n_features]; 0 for a feature that no tree uses. predictor:
/// as in DependenceTask.
std::vector<std::int32_t> CellsOfRows(Context const& ctx, Predictor const* predictor, Forest const& forest,
                                      std::vector<std::uint32_t> const& features, DataView const& rows);

}  // namespace kauri
