#include "tree/hist_vector/drawn_level.h"

#include <algorithm>
#include <array>

#include "collective/reduce.h"
#include "common/parallel_for.h"
#include "common/threads_for.h"
#include "tree/growth/tree_common.h"
#include "tree/hist_vector/vector_scan.h"

namespace kauri {
namespace {

constexpr std::int64_t kSumsOfChunk = 1 << 22;  // 32 MiB
constexpr std::int64_t kRowsOfPart = 1 << 13;
constexpr std::int64_t kPartsPerThread = 4;

std::int64_t NumQuestions(LevelQuestions const& questions) {
  return questions.NumPlainColumns() + static_cast<std::int64_t>(questions.Others().size());
}

/// A part of a node's rows.
struct Part {
  std::size_t node;
  RowSlice slice;
};

/// The first part of each node, in their order, then the others.
std::vector<Part> PlanParts(Context const& ctx, RowLists const& rows, Span<DrawnLevelSearch::Node const> nodes) {
  auto const most = ctx.threads <= 1 ? std::int64_t{1} : kPartsPerThread * ctx.threads;
  std::vector<Part> first;
  std::vector<Part> others;
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    auto const range = rows.RangeOf(nodes[node].id);
    auto const n_rows = range.end - range.begin;
    auto const n_parts = std::max<std::int64_t>(1, std::min(most, n_rows / kRowsOfPart));
    for (std::int64_t part = 0; part < n_parts; ++part) {
      RowSlice const slice{rows.Rows(), range.begin + n_rows * part / n_parts,
                           range.begin + n_rows * (part + 1) / n_parts};
      (part == 0 ? first : others).push_back({node, slice});
    }
  }
  first.insert(first.end(), others.begin(), others.end());
  return first;
}

}  // namespace

bool DrawnLevelSearch::MayUse(Node const& node, std::uint32_t feature) const {
  auto const& features = *node.features;
  return features.size() == n_features_ || std::binary_search(features.begin(), features.end(), feature);
}

void DrawnLevelSearch::SumChunk(Context const& ctx, Chunk const& chunk) {
  auto const size = NumSums() * chunk.questions.Width();
  auto const parts = PlanParts(ctx, chunk.rows, chunk.nodes);
  sums_.resize(std::max(sums_.size(), parts.size() * static_cast<std::size_t>(size)));
  ParallelFor(ctx, static_cast<std::int64_t>(parts.size()), [&](std::int64_t part) {
    chunk.questions.Sum(rules_.table, NumSums(), parts[part].slice, &scratch_[ThreadIndex()].rows,
                        sums_.data() + part * size);
  });
  auto const n_nodes = chunk.nodes.size();
  for (auto part = n_nodes; part < parts.size(); ++part) {
    auto const* const from = sums_.data() + static_cast<std::int64_t>(part) * size;
    auto* const to = sums_.data() + static_cast<std::int64_t>(parts[part].node) * size;
    std::transform(from, from + size, to, to, [](std::int64_t a, std::int64_t b) { return a + b; });
  }
  SumOverRanks(ctx, Span<std::int64_t>(sums_.data(), n_nodes * static_cast<std::size_t>(size)));
}

template <typename Fn>
void DrawnLevelSearch::ForEachChunk(Context const& ctx, Chunk const& level, Fn&& fn) {
  auto const n = ToSize(std::max<std::int64_t>(1, kSumsOfChunk / (NumSums() * level.questions.Width())));
  for (std::size_t first = 0; first < level.nodes.size(); first += n) {
    auto const n_here = std::min(n, level.nodes.size() - first);
    Chunk const chunk{level.questions, {level.nodes.data() + first, n_here}, level.rows};
    SumChunk(ctx, chunk);
    fn(chunk, first);
  }
}

/// Minus infinity where the node cannot make the split, `left` being what goes left.
double DrawnLevelSearch::LossOf(LevelSplit const& split, VectorTotal const& node, SumRow left) const {
  auto const& gain = rules_.gain;
  auto const limit = gain.LimitOf(node.sums.data());
  if (limit.IsOn() && !limit.Allows(left[gain.RowsPlace()])) return -kInfinity;
  auto const sign = rules_.signs.empty() ? 0 : static_cast<int>(rules_.signs[split.best.feature]);
  double of_children = 0.0;
  double hessian_left = 0.0;
  double hessian_right = 0.0;
  for (std::int64_t output = 0; output < gain.NumOutputs(); ++output) {
    auto const param = split.is_categorical ? OfCategories(gain.Of(output)) : gain.Of(output);
    auto const left_sum = gain.SumOf(left, output);
    auto const right_sum = gain.SumOf(node.sums.data(), output) - left_sum;
    auto const bounds = node.bounds.empty() ? WeightBounds{} : node.bounds[output];
    of_children += OutputSplitGain(left_sum, right_sum, param, bounds, sign);
    hessian_left += HessianOf(left_sum, param);
    hessian_right += HessianOf(right_sum, param);
  }
  return CanHold(hessian_left) && CanHold(hessian_right) ? of_children - node.gain : -kInfinity;
}

/// All plain columns at once, where nothing but gains and hessians is asked.
void DrawnLevelSearch::ScorePlain(LevelQuestions const& questions, Node const& node, std::int64_t const* sums,
                                  Scratch* scratch, double* losses) const {
  auto const n = questions.NumPlainColumns();
  auto const width = questions.Width();
  auto const& gain = rules_.gain;
  scratch->sums.assign(ToSize(3 * n), 0.0);
  BoundarySums const of{scratch->sums.data(), scratch->sums.data() + n, scratch->sums.data() + 2 * n};
  for (std::int64_t output = 0; output < gain.NumOutputs(); ++output) {
    auto const* const hessians = sums + gain.HessianPlace(output) * width;
    AddOutput(gain.Of(output), {sums + output * width, hessians, n, {}, gain.SumOf(node.total.sums.data(), output)},
              of);
  }
  for (std::int64_t column = 0; column < n; ++column) {
    auto const can = questions.IsAsked(column) && CanHold(of.hessian_left[column]) && CanHold(of.hessian_right[column]);
    losses[column] = can ? of.gain[column] - node.total.gain : -kInfinity;
  }
}

void DrawnLevelSearch::ScoreNode(LevelQuestions const& questions, Node const& node, std::int64_t const* sums,
                                 Scratch* scratch, double* losses) const {
  auto const n = questions.NumPlainColumns();
  scratch->left.resize(ToSize(NumSums()));
  auto const loss_of = [&](LevelQuestion const& question) {
    if (!MayUse(node, question.split.best.feature)) return -kInfinity;
    question.Left(node.total.sums.data(), sums, questions.Width(), scratch->left);
    return LossOf(question.split, node.total, scratch->left.data());
  };
  auto const is_plain = rules_.signs.empty() && node.total.bounds.empty() && rules_.gain.least_rows <= 1;
  if (is_plain && node.features->size() == n_features_) {
    ScorePlain(questions, node, sums, scratch, losses);
  } else {
    for (std::int64_t column = 0; column < n; ++column) {
      losses[column] = questions.IsAsked(column) ? loss_of(questions.Of(column)) : -kInfinity;
    }
  }
  std::transform(questions.Others().begin(), questions.Others().end(), losses + n, loss_of);
}

void DrawnLevelSearch::ScoreChunk(Context const& ctx, Chunk const& chunk) {
  auto const& questions = chunk.questions;
  auto const size = NumSums() * questions.Width();
  auto const n = NumQuestions(questions);
  auto const n_nodes = static_cast<std::int64_t>(chunk.nodes.size());
  losses_.resize(std::max(losses_.size(), ToSize(n_nodes * n)));
  auto const work = static_cast<double>(n_nodes) * static_cast<double>(size);
  ParallelFor(ThreadsFor(ctx, work), n_nodes, [&](std::int64_t node) {
    ScoreNode(questions, chunk.nodes[node], sums_.data() + node * size, &scratch_[ThreadIndex()],
              losses_.data() + node * n);
  });
  for (std::int64_t node = 0; node < n_nodes; ++node) {
    auto const* const losses = losses_.data() + node * n;
    for (std::int64_t question = 0; question < n; ++question) {
      if (losses[question] != -kInfinity) scores_[question] += losses[question] - rules_.gamma;
    }
  }
}

LevelQuestion DrawnLevelSearch::BestOf(Span<Node const> level, LevelQuestions const& questions) const {
  LevelQuestion best;
  auto const compare = [&](LevelQuestion question, double score) {
    auto const feature = question.split.best.feature;
    question.split.best.loss_change = score - AddCost(0.0, rules_.costs, feature);
    if (!ReducesLoss(question.split.best)) return;
    for (auto const& node : level) {
      if (node.total.noise.IsOn() && MayUse(node, feature)) question.split.noise += node.total.noise.Of(feature);
    }
    auto const is_same = best.split.best.IsValid() && best.split.best.feature == feature;
    auto const is_better = is_same ? question.split.best.loss_change > best.split.best.loss_change
                                   : ComesFirst(question.split, best.split);
    if (is_better) best = question;
  };
  auto const n = questions.NumPlainColumns();
  for (std::int64_t column = 0; column < n; ++column) {
    if (questions.IsAsked(column)) compare(questions.Of(column), scores_[column]);
  }
  for (auto const& question : questions.Others())
    compare(question, scores_[n + (&question - questions.Others().data())]);
  return best;
}

LevelSplit DrawnLevelSearch::Find(Context const& ctx, Span<Node const> level, RowLists const& rows,
                                  ThresholdDraw const& draw, Span<std::uint32_t const> features) {
  if (level.empty() || features.empty()) return {};
  scratch_.resize(std::max(scratch_.size(), static_cast<std::size_t>(ctx.threads)));
  n_features_ = features.size();
  LevelQuestions const questions(rules_.bins, draw, features);
  scores_.assign(ToSize(NumQuestions(questions)), 0.0);
  std::size_t n_chunks = 0;
  ForEachChunk(ctx, {questions, level, rows}, [&](Chunk const& chunk, std::size_t) {
    ScoreChunk(ctx, chunk);
    ++n_chunks;
  });
  auto const best = BestOf(level, questions);
  if (!best.split.best.IsValid()) return {};
  auto const n_sums = NumSums();
  left_.resize(level.size() * ToSize(n_sums));
  auto const keep = [&](Chunk const& chunk, std::size_t first) {
    for (std::size_t node = 0; node < chunk.nodes.size(); ++node) {
      best.Left(chunk.nodes[node].total.sums.data(), sums_.data() + node * ToSize(n_sums * questions.Width()),
                questions.Width(), {left_.data() + (first + node) * ToSize(n_sums), ToSize(n_sums)});
    }
  };
  if (n_chunks == 1) {
    keep({questions, level, rows}, 0);
  } else {
    ForEachChunk(ctx, {questions, level, rows}, keep);
  }
  return best.split;
}

bool DrawnLevelSearch::MakesSplit(LevelSplit const& split, std::size_t place, Node* node) const {
  node->best = {};
  if (!MayUse(*node, split.best.feature)) return false;
  auto const* const left = left_.data() + place * ToSize(NumSums());
  auto const loss = LossOf(split, node->total, left);
  if (loss == -kInfinity) return false;
  node->best = split.best;
  node->best.loss_change = loss;
  node->total.left.assign(node->total.sums.size(), 0);
  std::copy(left, left + NumSums(), node->total.left.begin());
  return true;
}

}  // namespace kauri
