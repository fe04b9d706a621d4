/// \file Leaves that hold vectors (multi_strategy=multi_output_tree), as files store them.
///
/// XGBoost 2.0 to 3.1 keeps the vectors in base_weights, [n_nodes, n_outputs]. Since 3.2 they are in leaf_weights,
/// [n_leaves, n_outputs], and right_children of a leaf is its row there; base_weights may be narrower then.
#pragma once

#include <cstdint>
#include <vector>

#include "booster/model_io/object_reader.h"
#include "kauri/tree.h"

namespace kauri::model_io {

/// What reading keeps between the arrays of nodes and the vectors.
struct LeafRows {
  std::vector<float> weights;             ///< leaf_weights; empty in the older layout
  std::vector<std::int32_t> row_of_node;  ///< [n_nodes], of the leaves only
};

/// Takes leaf_weights, if there are any, and puts kNoNode into `right` where it holds rows of it.
LeafRows TakeLeafRows(ObjectReader const& reader, Tree* tree);

/// Sets leaf_vector, once the nodes are those that can be reached. order: the numbers of nodes in the file.
/// \throws Error(kModel) unless every leaf has a row of its own; so a file asks for no more memory than it has bytes.
void FillLeafVectors(ObjectReader const& reader, LeafRows const& rows, std::vector<std::int32_t> const& order,
                     Tree* tree);

/// base_weights as XGBoost reads them before 3.2; splits have zeros unless the tree has a weight per output for them.
/// Files that have these and leaf_weights are read by all versions: the older ones never look at a leaf's right child.
std::vector<float> NodeVectorsOf(Tree const& tree);

/// leaf_weights and right_children as XGBoost writes them since 3.2.
std::vector<float> LeafWeightsOf(Tree const& tree);
std::vector<std::int32_t> RightOrLeafRow(Tree const& tree);

}  // namespace kauri::model_io
