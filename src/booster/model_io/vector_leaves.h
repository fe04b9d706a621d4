/// \file Leaves that hold vectors (multi_strategy=multi_output_tree), as files store them.
///
/// XGBoost 2.0 to 3.1 stores the vectors in base_weights, [n_nodes, n_outputs]. Since 3.2 they are in leaf_weights,
/// [n_leaves, n_outputs], and right_children of a leaf is its row there. base_weights may be narrower then.
#pragma once

#include <cstdint>
#include <vector>

#include "booster/model_io/object_reader.h"
#include "kauri/tree.h"

namespace kauri::model_io {

/// The leaf vectors and their rows, kept while the nodes of a tree are read.
struct LeafRows {
  std::vector<float> weights;             ///< leaf_weights; empty in the older layout
  std::vector<std::int32_t> row_of_node;  ///< [n_nodes], valid for leaves only
};

/// Takes leaf_weights, if the file has them, and the leaves' rows from `right`, where it puts kNoNode instead.
LeafRows TakeLeafRows(ObjectReader const& reader, Tree* tree);

/// Sets leaf_vector, once only reachable nodes are left. order: the nodes' numbers in the file. \throws Error(kModel)
/// unless every leaf has a row of its own, so that a file cannot request more memory than it has bytes.
void FillLeafVectors(ObjectReader const& reader, LeafRows const& rows, std::vector<std::int32_t> const& order,
                     Tree* tree);

/// Returns base_weights as XGBoost reads them before 3.2. Splits have zeros unless the tree has a weight per output for
/// them. All versions read files that have both these and leaf_weights: older ones never read a leaf's right child.
std::vector<float> NodeVectorsOf(Tree const& tree);

/// Return leaf_weights and right_children as XGBoost writes them since 3.2.
std::vector<float> LeafWeightsOf(Tree const& tree);
std::vector<std::int32_t> RightOrLeafRow(Tree const& tree);

}  // namespace kauri::model_io
