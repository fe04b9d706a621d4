#include "predictor/dependence/leaf_boxes.h"

#include <algorithm>

#include "predictor/paths/path_steps.h"

namespace kauri {
namespace {

/// The cells of one feature that satisfy the splits seen so far.
struct OpenBox {
  std::uint32_t slot;
  std::int32_t begin;
  std::int32_t end;
  bool takes_missing;
  std::vector<std::uint8_t> allowed;  ///< by cell; empty without categorical splits
};

class Boxer {
 public:
  Boxer(Forest const& forest, std::vector<Axis> const& axes, std::vector<std::uint8_t> const& is_kept,
        std::int64_t tree)
      : forest_(forest), axes_(axes), is_kept_(is_kept), place_of_slot_(axes.size(), 0) {
    auto const n_nodes = ToSize(forest.tree_begin[tree + 1] - forest.tree_begin[tree]);
    found_.tree = tree;
    found_.split_place.assign(n_nodes, 0);
    found_.leaf_of_node.assign(n_nodes, 0);
    parent_.assign(n_nodes, 0);
    right_cells_.resize(forest.has_categorical ? n_nodes : 0);
  }

  TreeBoxes Run() {
    for (std::uint32_t node = 0; node < parent_.size(); ++node) {  // parents come first
      auto const split = forest_.Node(found_.tree, node);
      if (split.left == node) {
        AddLeaf(node);
      } else {
        parent_[split.left] = parent_[split.left + 1] = node;
        if (split.is_categorical && is_kept_[split.slot] != 0) FindRightCells(split, &right_cells_[node]);
      }
    }
    return std::move(found_);
  }

 private:
  /// Finds the cells of values that go right at a categorical split.
  void FindRightCells(SplitNode const& split, std::vector<std::uint8_t>* cells) const {
    auto const& axis = axes_[split.slot];
    for (std::int32_t cell = 0; cell < axis.MissingCell(); ++cell) {
      cells->push_back(forest_.categories.Contains(split.key, ValueOfKey(axis.LowestKey(cell))) ? 1 : 0);
    }
  }

  void AddLeaf(std::uint32_t leaf) {
    path_.clear();
    for (auto node = leaf; node != 0; node = parent_[node]) path_.push_back(node);
    open_.clear();
    for (auto child = path_.rbegin(); child != path_.rend(); ++child) AddEdge(parent_[*child], *child);
    found_.leaf_of_node[leaf] = static_cast<std::uint32_t>(found_.leaves.size());
    found_.leaves.push_back({leaf, static_cast<std::uint32_t>(open_.size()), found_.boxes.size()});
    for (auto const& box : open_) {
      Close(box);
      place_of_slot_[box.slot] = 0;
    }
  }

  void AddEdge(std::uint32_t node, std::uint32_t child) {
    auto const split = forest_.Node(found_.tree, node);
    if (is_kept_[split.slot] == 0) return;
    auto& place = place_of_slot_[split.slot];
    if (place == 0) {
      open_.push_back({split.slot, 0, axes_[split.slot].MissingCell(), true, {}});
      place = static_cast<std::uint32_t>(open_.size());
    }
    found_.split_place[node] = place;
    Narrow(split, node, child != split.left, &open_[place - 1]);
  }

  void Narrow(SplitNode const& split, std::uint32_t node, bool goes_right, OpenBox* box) const {
    if (goes_right == split.default_left) box->takes_missing = false;
    if (!split.is_categorical) {
      auto const cell = axes_[split.slot].CellOf(ThresholdKey(split));
      if (goes_right) {
        box->begin = std::max(box->begin, cell);
      } else {
        box->end = std::min(box->end, cell);
      }
      return;
    }
    auto const& right = right_cells_[node];
    if (box->allowed.empty()) box->allowed.assign(right.size(), 1);
    for (std::size_t cell = 0; cell < right.size(); ++cell) {
      box->allowed[cell] &= static_cast<std::uint8_t>((right[cell] != 0) == goes_right);
    }
  }

  void Close(OpenBox const& box) {
    auto const first = found_.runs.size();
    for (auto cell = box.begin; cell < box.end; ++cell) {
      if (box.allowed.empty()) {
        AddRun(first, {cell, box.end});
        break;
      }
      if (box.allowed[cell] != 0) AddRun(first, {cell, cell + 1});
    }
    auto const missing = axes_[box.slot].MissingCell();
    if (box.takes_missing) AddRun(first, {missing, missing + 1});
    found_.boxes.push_back({box.slot, first, found_.runs.size() - first});
  }

  /// Adds a run to those from `first` on; neighbours become one.
  void AddRun(std::size_t first, CellRun run) {
    auto& runs = found_.runs;
    if (runs.size() > first && runs.back().end == run.begin) {
      runs.back().end = run.end;
    } else {
      runs.push_back(run);
    }
  }

  Forest const& forest_;
  std::vector<Axis> const& axes_;
  std::vector<std::uint8_t> const& is_kept_;
  TreeBoxes found_;
  std::vector<std::uint32_t> parent_;                   ///< by node
  std::vector<std::vector<std::uint8_t>> right_cells_;  ///< by node with a categorical split
  std::vector<std::uint32_t> place_of_slot_;            ///< 1 + place on the current path; 0: none
  std::vector<std::uint32_t> path_;
  std::vector<OpenBox> open_;
};

}  // namespace

TreeBoxes BoxTree(Forest const& forest, std::vector<Axis> const& axes, std::vector<std::uint8_t> const& is_kept,
                  std::int64_t tree) {
  return Boxer(forest, axes, is_kept, tree).Run();
}

}  // namespace kauri
