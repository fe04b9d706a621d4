#include "booster/model/trained_model.h"

#include <algorithm>
#include <utility>

#include "booster/model/model_copies.h"
#include "booster/model/model_fit.h"
#include "collective/reduce.h"
#include "common/memory_size.h"
#include "common/threads/parallel_for.h"
#include "data/categories/category_names.h"
#include "data/categories/category_view.h"
#include "data/matrix_view.h"
#include "kauri/error.h"

namespace kauri {
namespace {

/// Maximum number of leaf indices held in memory at a time.
constexpr std::int64_t kTileFloats = 1 << 22;
/// Largest node index that float32 represents exactly: predictors return leaves as float32.
constexpr std::int32_t kLargestNode = 1 << 24;

void RequireCountable(Model const& model) {
  if (model.trees.empty()) Fail(ErrorKind::kModel, "the model has no trees, so there is nothing to count rows in.");
  for (std::size_t index = 0; index < model.trees.size(); ++index) {
    if (model.trees[index].NumNodes() <= kLargestNode) continue;
    Fail(ErrorKind::kModel, "tree ", index, " has ", model.trees[index].NumNodes(),
         " nodes; rows are counted in trees ", "of up to ", kLargestNode, " only.");
  }
}

/// Adds the rows' leaves to the counts. leaves: [n_rows, n_trees].
void AddLeaves(Context const& ctx, std::vector<float> const& leaves, RowCounts* counts) {
  auto const n_trees = static_cast<std::int64_t>(counts->size());
  ParallelFor(ctx, n_trees, [&](std::int64_t tree) {
    auto& of_tree = (*counts)[tree];
    for (auto place = ToSize(tree); place < leaves.size(); place += ToSize(n_trees)) {
      ++of_tree[leaves[place]];
    }
  });
}

/// Sums the counts of leaves up to their ancestors. Children come after their parent.
void SumUp(Tree const& tree, std::vector<std::int64_t>* counts) {
  for (auto node = tree.NumNodes(); node-- > 0;) {
    if (tree.IsLeaf(node)) continue;
    (*counts)[node] = (*counts)[tree.left[node]] + (*counts)[tree.right[node]];
  }
}

}  // namespace

RowCounts CountRows(ReadyModel const& ready, DataMatrix const& data) {
  auto const& parts = *ready.Parts();
  auto const& model = ready.GetModel();
  ready.CheckColumns(DeclaredColumns::Of(data.Info()).With(*data.View()), data.NumCols());
  RequireCountable(model);
  auto const n_trees = static_cast<std::int64_t>(model.trees.size());
  auto const compiled = ready.Compiled();
  auto const start = StartMargins(parts, model);
  RowCounts counts;
  for (auto const& tree : model.trees) counts.emplace_back(tree.left.size(), 0);
  auto const view = data.View();
  ModelRows const rows(model, *view);
  auto const tile_rows = std::max<std::int64_t>(64, kTileFloats / std::max<std::int64_t>(1, n_trees));
  for (std::int64_t begin = 0; begin < view->NumRows(); begin += tile_rows) {
    RowWindow const tile(rows.View(), begin, std::min(view->NumRows(), begin + tile_rows));
    std::vector<float> leaves(SizeInMemory(tile.NumRows() * n_trees));
    parts.predictor->Predict(parts.ctx, *compiled, {tile, {0, n_trees}, {start, {}}}, PredictKind::kLeaf, leaves);
    AddLeaves(parts.ctx, leaves, &counts);
  }
  for (auto& of_tree : counts) SumOverRanks(parts.ctx, of_tree);
  for (std::size_t tree = 0; tree < counts.size(); ++tree) SumUp(model.trees[tree], &counts[tree]);
  return counts;
}

namespace {

/// The members of a model that copy parameters of the booster, so that a file holds what predictions need.
struct Description {
  std::string objective;
  std::string objective_param_key;
  std::map<std::string, std::string> objective_params;
  ObjectiveState objective_state;
  std::string booster;
  UnseenCategory unseen;
  std::int64_t n_classes;
  std::int64_t n_targets;
  std::vector<float> base_score;
  bool base_score_estimated;
};

/// Returns the base score that the user has set since the model got its own; empty: none. A wrong number of values
/// counts as none while the model has no rounds, because labels may still raise its number of outputs.
std::vector<float> GivenBaseScore(Components const& parts, TrainingResult const& trained) {
  if (trained.has_intercept) return {};
  auto const& text = parts.param.base_score;
  auto const n_outputs = ToSize(trained.model->NumOutputs());
  auto const n_given = ParseBaseScore(text).size();
  if (trained.model->NumIterations() == 0 && n_given > 1 && n_given != n_outputs) return {};
  auto given = BaseScoresOf(text, n_outputs);
  auto const is_linear = trained.model->IsLinear() && trained.model->NumIterations() > 0;
  if (is_linear && !given.empty()) given.assign(n_outputs, given[0]);  // see StartMargins
  return given;
}

/// Returns the number of targets that the parameters imply for a model without rounds; label columns may raise it.
std::int64_t TargetsAhead(Components const& parts, Model const& model) {
  if (parts.objective->NumClasses() > 0) return 1;
  auto const of_objective = parts.objective->NumOutputs(MetaInfo());
  return of_objective > 1 ? of_objective : std::max<std::int64_t>(model.n_targets, parts.param.num_target);
}

/// Returns what the model should say under the parameters that are set now. The number of outputs follows from them
/// only while the model is open: it has neither rounds nor a final base score. Else the model keeps its own.
Description DescriptionOf(Components const& parts, TrainingResult const& trained) {
  auto const& model = *trained.model;
  auto const& objective = *parts.objective;
  auto state = trained.objective_state;
  objective.PrepareState(&state);
  auto unseen = model.categories.unseen;
  ParsePolicy(parts.param.unseen_category, &unseen);  // not given: the model keeps its policy
  auto const is_open = model.NumIterations() == 0 && !trained.has_intercept;
  auto const given = GivenBaseScore(parts, trained);
  return {parts.param.objective,
          objective.ParamKey(),
          objective.SaveParams(),
          std::move(state),
          parts.param.booster,
          unseen,
          is_open ? objective.NumClasses() : model.n_classes,
          is_open ? TargetsAhead(parts, model) : model.n_targets,
          given.empty() ? model.base_score : given,
          given.empty() && model.base_score_estimated};
}

/// Returns whether the model agrees with the description.
bool Says(Model const& model, Description const& description) {
  return model.objective == description.objective && model.objective_param_key == description.objective_param_key &&
         model.objective_params == description.objective_params &&
         model.objective_state == description.objective_state && model.booster == description.booster &&
         model.categories.unseen == description.unseen && model.n_classes == description.n_classes &&
         model.n_targets == description.n_targets && model.base_score == description.base_score &&
         model.base_score_estimated == description.base_score_estimated;
}

void Write(Description description, Model* model) {
  model->objective = std::move(description.objective);
  model->objective_param_key = std::move(description.objective_param_key);
  model->objective_params = std::move(description.objective_params);
  model->objective_state = std::move(description.objective_state);
  model->booster = std::move(description.booster);
  model->categories.unseen = description.unseen;
  model->n_classes = description.n_classes;
  model->n_targets = description.n_targets;
  model->base_score = std::move(description.base_score);
  model->base_score_estimated = description.base_score_estimated;
}

/// Reserves room for `n_more` elements. Capacity doubles, so each element costs amortised constant time.
template <typename T>
void MakeRoom(std::size_t n_more, std::vector<T>* values) {
  auto const size = values->size() + n_more;
  if (values->capacity() < size) values->reserve(std::max(size, 2 * values->capacity()));
}

void MakeRoom(Round const& round, Model* model) {
  MakeRoom(round.trees.size(), &model->trees);
  MakeRoom(round.trees.size(), &model->output_of_tree);
  MakeRoom(1, &model->iteration_ptr);
}

/// Appends the round to the model. The vectors must have room (MakeRoom).
void Append(Round* round, Model* model) noexcept {
  model->n_parallel_trees = round->n_parallel_trees;
  if (!round->tree_weights.empty()) model->tree_weights.swap(round->tree_weights);
  if (round->linear.has_value()) {
    std::swap(model->linear, *round->linear);
    return;
  }
  for (auto& tree : round->trees) model->trees.push_back(std::move(tree));
  for (auto const output : round->output_of_tree) model->output_of_tree.push_back(output);
  model->iteration_ptr.push_back(static_cast<std::int64_t>(model->trees.size()));
}

}  // namespace

Model* ModelDraft::Edit() {
  if (!is_copy_) next_.model = std::make_shared<Model>(*next_.model);
  is_copy_ = true;
  return next_.model.get();
}

void ModelDraft::BeginUpdate() {
  next_.updated = std::exchange(next_.model, std::make_shared<Model>(WithoutTrees(Get())));
  is_copy_ = true;
}

TrainedModel::TrainedModel(Model loaded) {
  result_.model = std::make_shared<Model>(std::move(loaded));
  result_.objective_state = result_.model->objective_state;
  result_.has_intercept = result_.model->NumIterations() > 0 || !result_.model->base_score_estimated;
}

TrainedModel::TrainedModel(TrainedModel const& from, Model slice) {
  result_.model = std::make_shared<Model>(std::move(slice));
  result_.objective_state = from.result_.objective_state;
  result_.has_intercept = from.result_.has_intercept;
}

std::shared_ptr<Model> TrainedModel::Described(std::shared_ptr<Components const> const& parts) const {
  if (says_ == parts) return result_.model;
  RequireSameKind(*result_.model, parts->param.booster);
  RequireSameClasses(*result_.model, *parts);
  RequireSameDistribution(*result_.model, *parts);
  auto description = DescriptionOf(*parts, result_);
  if (Says(*result_.model, description)) {
    says_ = parts;
    return result_.model;
  }
  auto described = std::make_shared<Model>(*result_.model);
  Write(std::move(description), described.get());
  return described;
}

std::shared_ptr<ReadyModel const> TrainedModel::Ready(std::shared_ptr<Components const> const& parts) const {
  std::lock_guard<std::mutex> const lock(mutex_);
  if (ready_ != nullptr && ready_->Parts() == parts) return ready_;
  auto described = Described(parts);
  ready_ = std::make_shared<ReadyModel const>(parts, described);
  described_ = std::move(described);
  return ready_;
}

ModelDraft TrainedModel::MakeDraft(std::shared_ptr<Components const> const& parts) const {
  Ready(parts);
  auto next = result_;
  next.model = described_;
  return ModelDraft(std::move(next));
}

void TrainedModel::Commit(ModelDraft draft, Round round) {
  auto& next = draft.next_;
  auto const has_new_state = draft.state_.has_value() && *draft.state_ != result_.objective_state;
  auto says = next.model == result_.model && !has_new_state ? says_ : nullptr;
  MakeRoom(round, next.model.get());
  if (draft.state_.has_value()) next.objective_state = *draft.state_;
  // Nothing throws from here on.
  if (draft.state_.has_value()) next.model->objective_state.swap(*draft.state_);
  Append(&round, next.model.get());
  Commit(std::move(draft));
  says_ = std::move(says);
}

void TrainedModel::Commit(ModelDraft draft) {
  result_ = std::move(draft.next_);
  ForgetReady();
}

void TrainedModel::Describe(Components const& parts) {
  Write(DescriptionOf(parts, result_), result_.model.get());
  ForgetReady();
}

void TrainedModel::SetHasIntercept(bool has_intercept) {
  result_.has_intercept = has_intercept;
  ForgetReady();
}

void TrainedModel::RaiseNumFeatures(std::int64_t n_features) {
  result_.model->n_features = std::max(result_.model->n_features, n_features);
  ForgetReady();
}

Model* TrainedModel::Edit() {
  if (described_ != result_.model) ForgetReady();
  return result_.model.get();
}

void TrainedModel::SetRowCounts(RowCounts counts) {
  for (std::size_t tree = 0; tree < counts.size(); ++tree) result_.model->trees[tree].row_count.swap(counts[tree]);
  ForgetReady();
}

void TrainedModel::ForgetReady() {
  std::lock_guard<std::mutex> const lock(mutex_);
  ready_.reset();
  described_.reset();
  says_.reset();
}

}  // namespace kauri
