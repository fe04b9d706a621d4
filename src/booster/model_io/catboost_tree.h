/// \file The trees of CatBoost's JSON format, as arrays over nodes. The format is described in catboost_json.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "booster/model_io/catboost_fields.h"
#include "booster/model_io/foreign_forest.h"

namespace kauri::model_io {

/// Reads the trees of one model. The number of nodes is at most in proportion to the text.
class CatBoostTreeReader {
 public:
  /// columns: must outlive the reader. scale: the factor of leaf values. n_outputs: values of a leaf.
  CatBoostTreeReader(CatBoostColumns const& columns, double scale, std::size_t n_outputs)
      : columns_(columns), scale_(scale), n_outputs_(n_outputs) {}

  /// Sets what is added to the leaf values of the next tree after scaling: [n_outputs].
  void Shift(std::vector<double> shift) { shift_ = std::move(shift); }
  /// Returns an element of oblivious_trees. The root has the last split, as in CatBoost's own explanations.
  ForeignTree ReadOblivious(CatBoostJson const& tree, std::size_t index);
  /// Returns an element of trees, in the order of a walk that goes to the left first.
  ForeignTree ReadNested(CatBoostJson const& tree, std::size_t index);

 private:
  void ReadSplit(CatBoostJson const& split, std::string const& where, std::size_t node, ForeignTree* tree) const;
  void ReadOneHot(CatBoostJson const& split, std::string const& where, std::size_t node, ForeignTree* tree) const;
  void AddValue(CatBoostJson const& value, std::size_t output, std::string const& where, std::size_t node,
                ForeignTree* tree) const;

  CatBoostColumns const& columns_;
  double scale_;
  std::size_t n_outputs_;
  std::vector<double> shift_;
};

}  // namespace kauri::model_io
