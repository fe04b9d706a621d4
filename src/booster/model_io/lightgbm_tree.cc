#include "booster/model_io/lightgbm_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kauri/error.h"

namespace kauri::model_io {

/// The sets of categories of a tree: set i has the words_ from bounds_[i] to bounds_[i + 1], a bit for each category.
class CategorySets {
 public:
  explicit CategorySets(LightGbmFields const& fields)
      : bounds_(NumbersIn<std::int64_t>(fields, "cat_boundaries", -1)),
        words_(NumbersIn<std::int64_t>(fields, "cat_threshold", -1)),
        is_used_(bounds_.size()) {
    bool const ascend = std::is_sorted(bounds_.begin(), bounds_.end());
    if (!ascend || bounds_.empty() || bounds_.front() < 0 ||
        bounds_.back() > static_cast<std::int64_t>(words_.size())) {
      Fail(ErrorKind::kModel, "a tree of LightGBM has cat_boundaries that do not ascend from 0 to at most ",
           words_.size(), ", the number of values of cat_threshold. The file is damaged.");
    }
  }

  /// Appends the categories of the set that the threshold of a node names. Each set belongs to one node, which bounds_
  /// the memory.
  void Append(double threshold, std::int64_t node, std::vector<std::int32_t>* out) {
    auto const n_sets = static_cast<double>(bounds_.size()) - 1;
    auto const index = threshold >= 0 && threshold < n_sets ? static_cast<std::size_t>(threshold) : bounds_.size();
    if (index == bounds_.size() || is_used_[index]) {
      Fail(ErrorKind::kModel, "node ", node, " of a tree of LightGBM names set ", threshold,
           " of categories, which is not there or belongs to another node. The file is damaged.");
    }
    is_used_[index] = true;
    for (auto word = bounds_[index]; word < bounds_[index + 1]; ++word) {
      auto const bits = static_cast<std::uint32_t>(words_[static_cast<std::size_t>(word)]);
      for (std::int64_t bit = 0; bit < 32; ++bit) {
        auto const category = (word - bounds_[index]) * 32 + bit;
        if (((bits >> bit) & 1U) != 0)
          out->push_back(static_cast<std::int32_t>(std::min<std::int64_t>(category, kCategoryLimit)));
      }
    }
  }

 private:
  std::vector<std::int64_t> bounds_;
  std::vector<std::int64_t> words_;
  std::vector<bool> is_used_;
};

namespace {

using Limits = std::numeric_limits<float>;

/// Greatest number of categories in splits on ordered categories, 400 MB of them: a small file could ask for any
/// number, as each such split lists all levels above its threshold.
constexpr std::int64_t kMostOrdered = 100'000'000;

/// Bits of decision_type.
constexpr std::int64_t kByCategories = 1;
constexpr std::int64_t kMissingLeft = 2;
constexpr std::int64_t kZerosAreMissing = 1;  ///< of bits 2 and 3
constexpr std::int64_t kNanIsMissing = 2;     ///< of bits 2 and 3

float ToFloat(double value, char const* what) {
  if (!(std::abs(value) <= static_cast<double>(Limits::max()))) {
    Fail(ErrorKind::kModel, "a tree of LightGBM has the ", what, " ", value,
         ", which is no finite 32-bit number. The file is damaged.");
  }
  return static_cast<float>(value);
}

/// Checks the range of the children alone; that the nodes are a tree is checked as in any model file.
void ReadChildren(std::vector<std::int64_t> const& children, std::vector<std::int32_t>* out) {
  auto const n_inner = static_cast<std::int64_t>(children.size());
  for (std::size_t node = 0; node < children.size(); ++node) {
    auto const child = children[node];
    if (child < -n_inner - 1 || child >= n_inner || 2 * n_inner >= std::numeric_limits<std::int32_t>::max()) {
      Fail(ErrorKind::kModel, "a tree of LightGBM has the child ", child, " of node ", node, "; expected ",
           -n_inner - 1, " to ", n_inner - 1, ". The file is damaged.");
    }
    (*out)[node] = static_cast<std::int32_t>(child < 0 ? n_inner + ~child : child);
  }
}

void ReadCovers(LightGbmFields const& fields, std::int64_t n_inner, ForeignTree* tree) {
  auto const inner = NumbersIn<double>(fields, "internal_count", n_inner);
  auto const leaves = NumbersIn<double>(fields, "leaf_count", n_inner + 1);
  for (std::size_t node = 0; node < tree->cover.size(); ++node) {
    tree->cover[node] = ToFloat(node < inner.size() ? inner[node] : leaves[node - inner.size()], "row count");
  }
}

}  // namespace

ForeignTree LightGbmTreeReader::Read(std::string_view part) {
  auto const fields = FieldsOf(part);
  if (FieldOr(fields, "is_linear", "0") != "0") {
    Fail(ErrorKind::kModel, "linear leaves of LightGBM (linear_tree) have no counterpart here. Train without them.");
  }
  auto const n_leaves = WholeNumber(fields, "num_leaves", 1);
  auto const values = NumbersIn<double>(fields, "leaf_value", n_leaves);
  auto const n_inner = n_leaves - 1;
  ForeignTree tree(values.size() * 2 - 1);
  if (n_inner > 0) {
    ReadSplits(fields, n_inner, &tree);
    ReadCovers(fields, n_inner, &tree);
  } else {
    tree.cover[0] = 1.0F;  // the format has no row count here
  }
  for (std::size_t leaf = 0; leaf < values.size(); ++leaf) {
    tree.value[static_cast<std::size_t>(n_inner) + leaf] = ToFloat(values[leaf] * scale_, "leaf value");
  }
  return tree;
}

void LightGbmTreeReader::ReadSplits(LightGbmFields const& fields, std::int64_t n_inner, ForeignTree* tree) {
  auto const kinds = NumbersIn<std::int64_t>(fields, "decision_type", n_inner);
  auto const thresholds = NumbersIn<double>(fields, "threshold", n_inner);
  ReadFeatures(NumbersIn<std::int64_t>(fields, "split_feature", n_inner), tree);
  ReadChildren(NumbersIn<std::int64_t>(fields, "left_child", n_inner), &tree->left);
  ReadChildren(NumbersIn<std::int64_t>(fields, "right_child", n_inner), &tree->right);
  bool const has_sets = std::any_of(kinds.begin(), kinds.end(), [](auto kind) { return (kind & kByCategories) != 0; });
  auto sets = has_sets ? CategorySets(fields) : CategorySets(LightGbmFields{{"cat_boundaries", "0"}});
  for (std::size_t node = 0; node < kinds.size(); ++node) ReadSplit(node, kinds[node], thresholds[node], &sets, tree);
}

void LightGbmTreeReader::ReadFeatures(std::vector<std::int64_t> const& features, ForeignTree* tree) const {
  for (std::size_t node = 0; node < features.size(); ++node) {
    if (features[node] < 0 || features[node] >= n_features_) {
      Fail(ErrorKind::kModel, "a tree of LightGBM splits on column ", features[node], "; the model has columns 0 to ",
           n_features_ - 1, ". The file is damaged.");
    }
    tree->feature[node] = static_cast<std::int32_t>(features[node]);
  }
}

void LightGbmTreeReader::ReadSplit(std::size_t node, std::int64_t kind, double threshold, CategorySets* sets,
                                   ForeignTree* tree) {
  auto const missing = (kind >> 2) & 3;
  auto const begin = static_cast<std::int64_t>(tree->categories.size());
  if ((kind & kByCategories) != 0) {
    std::swap(tree->left[node], tree->right[node]);
    tree->default_left[node] = 1;
    sets->Append(threshold, static_cast<std::int64_t>(node), &tree->categories);
    return tree->EndSet(node, begin);
  }
  if (missing == kZerosAreMissing) {
    Fail(ErrorKind::kModel,
         "zeros that are missing values (LightGBM's zero_as_missing) have no counterpart here. Train without it.");
  }
  bool const goes_left = missing == kNanIsMissing ? (kind & kMissingLeft) != 0 : threshold >= 0;
  tree->default_left[node] = goes_left ? 1 : 0;
  tree->threshold[node] = AboveDoubles(threshold);
  auto const n_levels = names_.empty() ? 0 : names_[static_cast<std::size_t>(tree->feature[node])].Size();
  if (n_levels == 0) return;
  AppendLevels(n_levels, tree->threshold[node], &tree->categories);
  tree->EndSet(node, begin);
}

/// Appends the codes of ordered categories that go to the right.
void LightGbmTreeReader::AppendLevels(std::size_t n_levels, float threshold, std::vector<std::int32_t>* out) {
  n_ordered_ += static_cast<std::int64_t>(n_levels);
  if (n_ordered_ > kMostOrdered) {
    Fail(ErrorKind::kModel, "the splits on ordered categories of a model of LightGBM list more than ", kMostOrdered,
         " categories. Fit on the codes of the categories.");
  }
  for (std::size_t code = 0; code < n_levels; ++code) {
    if (static_cast<float>(code) >= threshold) out->push_back(static_cast<std::int32_t>(code));
  }
}

}  // namespace kauri::model_io
