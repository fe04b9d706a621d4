/// \file Parts of a model that reader and writer share: the intercept, linear models and vector leaves.
///
/// The intercept is read in all the forms that model files have had. Linear models (gblinear) are written to files and
/// dumps.
///
/// Vector leaves (multi_strategy=multi_output_tree):
/// XGBoost 2.0 to 3.1 stores the vectors in base_weights, [n_nodes, n_outputs]. Since 3.2 they are in leaf_weights,
/// [n_leaves, n_outputs], and right_children of a leaf is its row there. base_weights may be narrower then.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "booster/model_io/object_reader.h"
#include "kauri/model.h"
#include "kauri/tree.h"

namespace kauri::model_io {

/// Reads the member "base_score" of learner_model_param: the text of a number (until 3.0) or of an array (since 3.1),
/// or the number or the array itself. \throws Error(kModel) unless it is one or more finite numbers.
std::vector<float> ReadBaseScore(ObjectReader const& learner_model_param);

/// Returns the array form, such as "[5E-1]", with one number per output. A single number is repeated.
std::string BaseScoreText(std::vector<float> const& base_score, std::size_t n_outputs);

/// Reads `booster`, the member gradient_booster. The numbers of features and outputs of `model` must be set.
void ReadLinearPart(ObjectReader const& booster, Model* model);

/// Returns the weights that a file stores; zeros before the first round.
std::vector<float> LinearWeights(Model const& model);

template <typename Writer>
void WriteLinearPart(Model const& model, Writer* writer) {
  writer->BeginObject();
  writer->Key("model");
  writer->BeginObject();
  writer->Key("boosted_rounds");
  writer->Integer(model.linear.n_rounds);
  writer->Key("weights");
  auto const weights = LinearWeights(model);
  writer->Numbers(Span<float const>(weights));
  writer->EndObject();
  writer->Key("name");
  writer->String("gblinear");
  writer->EndObject();
}

/// Returns the model as one text in XGBoost's format. format: text or json. \throws Error(kParameter) for dot.
std::string DumpLinear(Model const& model, std::string const& format);

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
