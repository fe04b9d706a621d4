/// \file Whole trainings of tree_method=hist on the CPU and on the device: the models must have the same bytes and the
/// predictions of the training set the same bits. Parameters that one refuses the other must refuse with the same
/// message.
///
/// Each side makes a matrix of its own, because bins that one side has made and kept with the matrix would also be used
/// by the other.
#pragma once

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "booster/booster_fixture.h"
#include "hist/hist_table.h"
#include "kauri/tree.h"
#include "support/device_fixture.h"

namespace kauri::testing {

constexpr char const* kDevice = "cuda";

using HistDeviceTest = DeviceTest;

struct HistCase {
  char const* name = "";
  Table table = {};
  Params params = {};
  Gradients gradients = Gradients::kObjective;
  int rounds = 2;
};

/// Returns a case of rows with some missing values.
inline HistCase CaseOf(char const* name, std::int64_t n_rows, std::int64_t n_cols, Params const& params,
                       int rounds = 2) {
  HistCase given;
  given.name = name;
  given.table.n_rows = n_rows;
  given.table.n_cols = n_cols;
  given.table.missing = Missing::kSome;
  given.params = params;
  given.rounds = rounds;
  return given;
}

/// Does the same for 900 rows.
inline HistCase CaseOf(char const* name, Params const& params, std::int64_t n_cols = 6, int rounds = 2) {
  return CaseOf(name, 900, n_cols, params, rounds);
}

inline std::string Value(Params const& params, std::string const& name, std::string const& otherwise) {
  auto value = otherwise;
  for (auto const& param : params) value = param.first == name ? param.second : value;
  return value;
}

inline std::string Text(Params const& params) {
  std::string text;
  for (auto const& [name, value] : params) text += " " + name + "=" + value;
  return text;
}

inline std::string Text(HistCase const& given) {
  std::ostringstream text;
  text << given.name << ": " << Text(given.table) << "; gradients kind " << static_cast<int>(given.gradients) << ", "
       << given.rounds << " rounds;" << Text(given.params);
  return text.str();
}

inline LabelKind KindOf(HistCase const& given) {
  return {Value(given.params, "objective", "reg:squarederror"), std::stoi(Value(given.params, "num_class", "0")),
          std::stoi(Value(given.params, "num_target", "1"))};
}

inline Params ParamsFor(std::string const& device, Params const& params) {
  return With({{"device", device}, {"tree_method", "hist"}, {"nthread", "2"}, {"validate_parameters", "1"}}, params);
}

/// The result of a training.
struct Outcome {
  std::string error;
  std::string bytes;
  Model model;
  std::vector<float> margins;  ///< margins of the training set
};

inline Outcome OutcomeOf(Learner* learner, std::shared_ptr<DataMatrix const> const& data) {
  Outcome outcome;
  outcome.bytes = Bytes(learner);
  outcome.model = learner->GetModel();
  outcome.margins = learner->PredictTraining(data, Predicting(PredictKind::kMargin)).values;
  return outcome;
}

/// Boosts `rounds` more rounds.
inline void BoostRounds(HistCase const& given, std::shared_ptr<DataMatrix const> const& data, Learner* learner) {
  auto const kind = KindOf(given);
  auto const n_outputs = std::max<std::int64_t>(kind.n_classes, kind.n_targets);
  for (int count = 0; count < given.rounds; ++count) {
    auto const round = learner->NumIterations();
    if (given.gradients == Gradients::kObjective) {
      learner->BoostRound(data, round);
      continue;
    }
    auto const seed = given.table.seed + 17 * static_cast<std::uint64_t>(round);
    auto const pairs = MakePairs(given.gradients, data->NumRows() * n_outputs, seed);
    learner->BoostRound(data, round, Span<GradientPair const>(pairs));
  }
}

inline Outcome TrainOn(std::string const& device, HistCase const& given,
                       std::shared_ptr<DataMatrix const> const& data) {
  try {
    auto const learner = MakeLearner(ParamsFor(device, given.params));
    BoostRounds(given, data, learner.get());
    return OutcomeOf(learner.get(), data);
  } catch (Error const& error) {
    Outcome outcome;
    outcome.error = error.what();
    return outcome;
  }
}

inline Outcome TrainOn(std::string const& device, HistCase const& given) {
  return TrainOn(device, given, MakeTable(given.table, KindOf(given)));
}

/// Returns the statistics and the split of a node, as text.
inline std::string NodeText(Tree const& tree, std::int32_t node) {
  std::ostringstream text;
  text.precision(9);
  if (node >= tree.NumNodes()) return "no such node";
  text << (tree.IsLeaf(node) ? "leaf" : "split of feature " + std::to_string(tree.split_feature[node])) << " at "
       << tree.split_value[node] << ", missing " << (tree.default_left[node] != 0 ? "left" : "right") << ", gain "
       << tree.loss_change[node] << ", hessian " << tree.sum_hessian[node] << ", children " << tree.left[node]
       << " and " << tree.right[node];
  for (auto const category : tree.CategoriesOf(node)) text << ", category " << category;
  for (std::size_t output = 0; tree.HasVectorLeaves() && output < tree.LeafValues(node).size(); ++output) {
    text << ", value " << tree.LeafValues(node)[output];
  }
  return text.str();
}

/// Describes the first node that differs in its numbers; if no node does, says that the bytes differ otherwise.
inline std::string FirstDifference(Model const& cpu, Model const& device) {
  auto const n_trees = std::max(cpu.trees.size(), device.trees.size());
  for (std::size_t index = 0; index < n_trees; ++index) {
    if (index >= std::min(cpu.trees.size(), device.trees.size())) {
      return std::to_string(cpu.trees.size()) + " trees and " + std::to_string(device.trees.size());
    }
    auto const& tree = cpu.trees[index];
    auto const& other = device.trees[index];
    for (std::int32_t node = 0; node < std::max(tree.NumNodes(), other.NumNodes()); ++node) {
      auto const a = NodeText(tree, node);
      auto const b = NodeText(other, node);
      if (a == b) continue;
      return "tree " + std::to_string(index) + " of " + std::to_string(tree.NumNodes()) + " and " +
             std::to_string(other.NumNodes()) + " nodes, node " + std::to_string(node) + "\n  cpu:    " + a +
             "\n  device: " + b;
    }
  }
  return "no number of a node";
}

inline ::testing::AssertionResult SameOutcome(Outcome const& cpu, Outcome const& device) {
  if (cpu.error != device.error) {
    return ::testing::AssertionFailure() << "errors:\n  cpu:    " << cpu.error << "\n  device: " << device.error;
  }
  if (cpu.bytes != device.bytes) {
    return ::testing::AssertionFailure() << "models differ: " << FirstDifference(cpu.model, device.model);
  }
  return SameFloats(cpu.margins, device.margins) << " (margins of the training set)";
}

/// Returns the same case with constraints that allow all interactions. No device grows such a tree in one launch, as it
/// does for few rows.
inline HistCase LevelByLevel(HistCase given) {
  std::string all = "[[0";
  for (std::int64_t column = 1; column < given.table.n_cols; ++column) all += "," + std::to_string(column);
  given.params.push_back({"interaction_constraints", all + "]]"});
  return given;
}

/// Returns the same case with more levels than a tree of few rows may have; the device then gets all levels at once.
inline HistCase WithManyLevels(HistCase given) {
  given.params.push_back({"max_depth", "9"});
  return given;
}

/// Returns whether WithManyLevels makes a different test: not with other growth limits, or with hardly more rows than
/// nodes.
inline bool MayHaveManyLevels(HistCase const& given) {
  return given.table.n_rows >= 512 && Value(given.params, "grow_policy", "depthwise") == "depthwise" &&
         Value(given.params, "max_leaves", "0") == "0";
}

/// Expects the same outcome on both sides; a failure prints the whole configuration. \returns the CPU's outcome, for
/// further checks.
inline Outcome ExpectSame(HistCase const& given) {
  auto cpu = TrainOn("cpu", given);
  EXPECT_TRUE(SameOutcome(cpu, TrainOn(kDevice, given))) << Text(given);
  if (!Value(given.params, "interaction_constraints", "").empty()) return cpu;
  EXPECT_TRUE(SameOutcome(cpu, TrainOn(kDevice, LevelByLevel(given)))) << "level by level: " << Text(given);
  if (!MayHaveManyLevels(given)) return cpu;
  auto const deep = WithManyLevels(given);
  EXPECT_TRUE(SameOutcome(TrainOn("cpu", deep), TrainOn(kDevice, deep))) << "all levels at once: " << Text(deep);
  return cpu;
}

/// Expects that every case trains, and that at least one tree has a split.
inline void ExpectSameTrees(std::vector<HistCase> const& cases) {
  for (auto const& given : cases) {
    auto const cpu = ExpectSame(given);
    EXPECT_EQ(cpu.error, "") << Text(given);
    auto const& trees = cpu.model.trees;
    auto const has_split = [](Tree const& tree) { return tree.NumNodes() > 1; };
    EXPECT_TRUE(std::any_of(trees.begin(), trees.end(), has_split)) << "no split to compare: " << Text(given);
  }
}

}  // namespace kauri::testing
