/// \file A lane on the host that runs the code of shap_lane.h, with the same bits as the device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "predictor/lanes/packed_paths.h"
#include "predictor/lanes/shap_lane.h"
#include "predictor/lanes/shap_program.h"

namespace kauri::testing {

/// Float32 contributions summed over batches in float64, like the device's exact sums: phi [n_outputs, n_slots] and,
/// for numbered pairs, pairs [n_pairs].
struct LaneSums {
  std::vector<double> phi;
  std::vector<double> pairs;
};

/// One pass over the nodes of one tree.
template <int kPoints>
class HostLane {
 public:
  HostLane(ShapProgram const& program, ProgramTree const& tree, int pass, std::vector<std::int32_t> const& keys,
           std::int64_t n_slots, LaneSums* sums)
      : program_(program),
        batch_(program.batches[tree.batch]),
        keys_(keys),
        next_(tree.node_begin),
        end_(tree.node_end),
        first_point_(pass * kPoints),
        points_(MakePassPoints(program.semivalue, {batch_.points, batch_.passes})),
        n_slots_(static_cast<std::size_t>(n_slots)),
        places_(static_cast<std::size_t>(batch_.n_places)),
        sums_(*sums) {}
  HostLane(HostLane const&) = delete;
  HostLane& operator=(HostLane const&) = delete;
  ~HostLane() {
    for (std::size_t place = 0; place < places_.size(); ++place) {
      auto const slot = program_.slot_of_place[batch_.place_begin + place];
      sums_.phi[static_cast<std::size_t>(batch_.output) * n_slots_ + slot] += static_cast<double>(places_[place]);
    }
  }

  bool HasMore() const { return next_ < end_; }
  void Fetch(ProgramNode* node, std::int32_t* key) {
    current_ = static_cast<std::size_t>(next_++);
    *node = program_.nodes.at(current_);
    *key = Key(SlotOf(*node));
    if (current_ > 0) {
      EXPECT_EQ(program_.nodes[current_ - 1].next_slot, SlotOf(*node));
    }
  }
  float Point(int q) const { return points_.point[PointOf(q)]; }
  float Weight(int q) const { return points_.weight[PointOf(q)]; }
  float Cold(int q) const { return points_.cold[PointOf(q)]; }
  PathFeature State(std::int32_t state) const { return program_.states[batch_.state_begin + state]; }
  void LoadInverse(std::int32_t state, float (&inverse)[kPoints]) const {
    auto const begin = batch_.inverse_begin + std::int64_t{state} * batch_.points * batch_.passes;
    for (int q = 0; q < kPoints; ++q) {
      inverse[q] = program_.inverses[begin + PointOf(q)];
    }
  }
  std::int32_t Key(std::uint32_t slot) const { return keys_[slot]; }
  CategoryConditionsView Categories() const { return program_.categories.View(); }
  void Save(int stack, int depth, float const (&values)[kPoints]) {
    auto& saved = stacks_[stack];
    saved.resize(depth);
    saved.emplace_back(values, values + kPoints);
  }
  void Load(int stack, int depth, float (&values)[kPoints]) const {
    auto const& saved = stacks_[stack].at(static_cast<std::size_t>(depth));
    std::copy(saved.begin(), saved.end(), values);
  }
  void Add(ProgramNode const& node, float value) { places_.at(node.Place()) += value; }
  std::int64_t PartnersBegin() const { return program_.partner_begin[current_]; }
  std::int64_t PartnersEnd() const { return program_.partner_begin[current_ + 1]; }
  ProgramPartner Partner(std::int64_t i) const { return program_.partners[i]; }
  void AddPair(std::int32_t pair, float value) {
    sums_.pairs.at(static_cast<std::size_t>(pair)) += static_cast<double>(value);
  }

 private:
  std::uint32_t SlotOf(ProgramNode const& node) const {
    return program_.slot_of_place[batch_.place_begin + node.Place()];
  }
  int PointOf(int q) const { return first_point_ + q; }

  ShapProgram const& program_;
  ProgramBatch const& batch_;
  std::vector<std::int32_t> const& keys_;
  std::int64_t next_;
  std::int64_t end_;
  std::size_t current_ = 0;
  int first_point_;
  PassPoints points_;
  std::size_t n_slots_;
  std::vector<float> places_;
  std::vector<std::vector<float>> stacks_[2];
  LaneSums& sums_;
};

template <int kPoints>
void RunTree(ShapProgram const& program, ProgramTree const& tree, std::vector<std::int32_t> const& keys,
             std::int64_t n_slots, LaneSums* sums) {
  for (int pass = 0; pass < program.batches[tree.batch].passes; ++pass) {
    HostLane<kPoints> lane(program, tree, pass, keys, n_slots, sums);
    if (program.partner_begin.empty()) {
      LaneProgram<kPoints, false, true, HostLane<kPoints>>(&lane).Run();
    } else {
      LaneProgram<kPoints, true, true, HostLane<kPoints>>(&lane).Run();
    }
  }
}

/// Runs all trees for one row. n_pairs: 0 unless the program is for pairs.
inline LaneSums RunLane(ShapProgram const& program, Forest const& forest, std::int64_t n_pairs,
                        std::vector<std::int32_t> const& keys) {
  LaneSums sums{std::vector<double>(forest.n_outputs * forest.NumSlots()), std::vector<double>(n_pairs)};
  for (auto const& tree : program.trees) {
    auto const points = program.batches[tree.batch].points;
    auto* const run = points == 2 ? &RunTree<2> : points == 4 ? &RunTree<4> : points == 6 ? &RunTree<6> : &RunTree<8>;
    run(program, tree, keys, forest.NumSlots(), &sums);
  }
  return sums;
}

}  // namespace kauri::testing
