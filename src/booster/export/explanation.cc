#include "booster/export/explanation.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "booster/export/exported_model.h"
#include "booster/export/test_vector.h"
#include "booster/predict/prediction.h"
#include "data/matrix_view.h"
#include "kauri/error.h"
#include "predictor/forest/cover.h"
#include "predictor/shap/quadrature_rule.h"

namespace kauri::model_export {
namespace {

constexpr std::int64_t kMostExplainedRows = 32;
constexpr std::int64_t kMostExplainedFloats = 8192;
constexpr std::int64_t kMostStackBytes = 256 * 1024;

class Shares {
 public:
  Shares(bool counts_rows, Explanation* out) : counts_rows_(counts_rows), out_(*out) {}

  /// Adds the splits of a tree in preorder.
  void Add(Tree const& tree) {
    for (auto const node : Preorder(tree)) {
      if (tree.IsLeaf(node)) continue;
      auto const index = ToSize(node);
      out_.left_share.push_back(Rounded(CoverRatio(CoverOf(tree, node), CoverOf(tree, tree.left[index]))));
      out_.right_share.push_back(Rounded(CoverRatio(CoverOf(tree, node), CoverOf(tree, tree.right[index]))));
    }
  }

  /// Drops the right shares if the left ones say as much.
  void Finish() {
    constexpr auto kUnits = static_cast<std::int64_t>(kShareUnits);
    for (std::size_t i = 0; i < out_.left_share.size(); ++i) {
      if (std::abs(kUnits - out_.left_share[i] - out_.right_share[i]) > 8) return;
    }
    out_.right_share.clear();
  }

 private:
  static std::uint32_t Rounded(double ratio) { return static_cast<std::uint32_t>(std::lround(ratio * kShareUnits)); }

  float CoverOf(Tree const& tree, std::int32_t node) const {
    return counts_rows_ ? static_cast<float>(tree.row_count[ToSize(node)]) : tree.sum_hessian[ToSize(node)];
  }

  bool counts_rows_;
  Explanation& out_;
};

/// Measures the paths of trees: their splits, and their distinct columns.
class Paths {
 public:
  explicit Paths(ExportedModel const& model) : model_(model) {}

  void Add(std::size_t tree) {
    struct Open {
      std::uint32_t n_right;
      std::uint32_t column;
    };
    std::vector<Open> path;  // the splits whose left side holds the next leaf; n_right = 0: whose right side does
    auto split = model_.tree_leaf[tree] - tree;
    auto n = model_.tree_leaf[tree + 1] - model_.tree_leaf[tree];
    for (;;) {
      for (; n > 1; ++split) {
        auto const left = model_.splits[split].left_leaves;
        path.push_back({n - left, model_.conditions[model_.splits[split].condition].feature});
        n = left;
      }
      n_steps = std::max(n_steps, static_cast<std::int64_t>(path.size()));
      std::set<std::uint32_t> columns;
      for (auto const& open : path) columns.insert(open.column);
      n_columns = std::max(n_columns, columns.size());
      while (!path.empty() && path.back().n_right == 0) path.pop_back();
      if (path.empty()) return;
      n = path.back().n_right;
      path.back().n_right = 0;
    }
  }

  std::int64_t n_steps = 1;
  std::size_t n_columns = 1;

 private:
  ExportedModel const& model_;
};

/// Contributions of the first rows of the test, by the library.
void AddTest(ReadyModel const& ready, ExportedModel const& model, TestVector const& test, Explanation* out) {
  auto const n_columns = static_cast<std::int64_t>(model.columns.size());
  auto const width = model.n_outputs * (n_columns + 1);
  auto const most = std::clamp<std::int64_t>(kMostExplainedFloats / width, 2, kMostExplainedRows);
  out->n_test_rows = std::min(most, test.n_rows);
  auto const view = MakeRowsView(test.rows.data(), out->n_test_rows, n_columns);
  PredictOptions options;
  options.kind = PredictKind::kContribution;
  out->contributions = Predict(ready, {*view, {}}, options).values;
  for (std::int64_t output = 0; output < model.n_outputs; ++output) {
    out->bias.push_back(out->contributions[ToSize((output + 1) * (n_columns + 1) - 1)]);
  }
}

bool CountsRows(Components const& parts) {
  auto const found = parts.given.find("shap_cover");
  return found != parts.given.end() && found->second == "count";
}

}  // namespace

Explanation MakeExplanation(ReadyModel const& ready, ExportedModel const& model, TestVector const& test) {
  Explanation out;
  AddTest(ready, model, test, &out);
  Shares shares(CountsRows(*ready.Parts()), &out);
  Paths paths(model);
  for (std::size_t tree = 0; tree < model.NumTrees(); ++tree) {
    shares.Add(ready.GetModel().trees[tree]);
    paths.Add(tree);
  }
  shares.Finish();
  out.n_steps = paths.n_steps;
  out.n_points = PointsFor(static_cast<std::int32_t>(paths.n_columns));
  auto const bytes = out.n_steps * (2 * out.n_points + 8) * static_cast<std::int64_t>(sizeof(double));
  if (bytes > kMostStackBytes) {
    Fail(ErrorKind::kParameter, "contributions of a tree with paths of ", out.n_steps, " splits on ", paths.n_columns,
         " columns would need ", bytes, " bytes of stack in the exported code, and at most ", kMostStackBytes,
         " are used; train with a smaller max_depth, or export without contributions.");
  }
  return out;
}

}  // namespace kauri::model_export
