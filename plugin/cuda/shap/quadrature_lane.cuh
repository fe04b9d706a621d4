/// \file The lane of shap_lane.h on the device: a thread with one row.
///
/// All threads of a warp read the same node, in order, one node ahead, and the row's key for it, so that neither load
/// is waited for. Contributions and the stacks are in shared memory, [.., thread], so that lanes of a warp have no bank
/// conflicts. No thread reads another thread's data, so there are no barriers. Seldom used levels of the stacks may be
/// in the thread's local memory: the first levels of G's stack, near the root, and the last levels of S's stack.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

#include "cuda/shap/row_keys.h"
#include "cuda/shap/shap_sums.cuh"
#include "predictor/lanes/shap_lane.h"

namespace kauri::cuda {

constexpr int kLaneThreads = 128;

/// Maximum number of levels of both stacks in a thread's local memory.
constexpr int kSpilledLevels = 12;

/// A run of consecutive trees of a batch.
struct ProgramItem {
  std::int64_t node_begin;
  std::int64_t node_end;
  std::uint32_t first_slot;  ///< of the first node
  ProgramBatch batch;
};

/// The input of a launch: batches of one shape, one pass.
struct LaneTask {
  float point[kMaxPassPoints];
  float weight[kMaxPassPoints];
  float cold[kMaxPassPoints];
  ProgramNode const* nodes;
  PathFeature const* states;
  float const* inverses;
  std::uint32_t const* slot_of_place;
  std::int64_t const* partner_begin;
  ProgramPartner const* partners;
  CategoryConditionsView categories;
  ProgramItem const* items;
  std::int64_t n_items;
  std::int64_t n_tiles;  ///< of kLaneThreads rows
  RowKeys keys;
  ShapSumsView sums;
  std::int32_t first_point;     ///< of the pass
  std::uint32_t inverse_bytes;  ///< of a state, for all passes
  std::uint32_t key_bytes;      ///< distance of a slot's keys from the next slot's
  std::int32_t window;  ///< places with a cell in shared memory; values of other places are added to the sums at once
  std::int32_t spilled_downs;  ///< levels of the first stack in local memory, from the bottom
  std::int32_t kept_downs;     ///< its other levels, in shared memory
  /// levels of the second stack in shared memory, from the bottom; its other levels are in local memory
  std::int32_t kept_firsts;
  bool has_categorical;
  float2* deep_stacks;  ///< one stack per block, if stacks do not fit into shared memory; else nullptr
  std::int64_t deep_stack_size;
};

/// The memory of a thread: the block's cells, [window, kLaneThreads] floats; the stack, [kept levels, kPoints / 2,
/// kLaneThreads], at the thread's first element; the thread's own levels, [kSpilledLevels, kPoints / 2].
struct LaneStorage {
  unsigned char* memory;
  float2* stack;
  float2* spilled;
};

/// kGeneral: there may be more places than cells, or stacks in device memory.
template <int kPoints, bool kPairs, bool kGeneral>
class DeviceLane {
 public:
  KAURI_HD DeviceLane(LaneTask const& task, ProgramItem const& item, std::int64_t row, unsigned thread,
                      LaneStorage const& storage)
      : task_(task),
        batch_(item.batch),
        units_(task.sums.units_of_output[item.batch.output]),
        next_(task.nodes + item.node_begin),
        end_(task.nodes + item.node_end),
        row_(row),
        keys_(reinterpret_cast<char const*>(task.keys.keys + (row < task.keys.n_rows ? row : task.keys.n_rows - 1))),
        memory_(storage.memory),
        thread_offset_(thread * static_cast<unsigned>(sizeof(float))),
        stack_(storage.stack),
        spilled_(storage.spilled),
        states_(task.states + item.batch.state_begin),
        inverses_(reinterpret_cast<char const*>(task.inverses + item.batch.inverse_begin + task.first_point)) {
    ahead_ = ReadWords(next_, 0);
    rest_ahead_ = ReadWords(next_, 1);
    ahead_key_ = Key(item.first_slot);
  }

  KAURI_HD bool HasMore() const { return next_ != end_; }
  KAURI_HD void Fetch(ProgramNode* node, std::int32_t* key) {
    *key = ahead_key_;
    node->first_key = static_cast<std::uint32_t>(ahead_.x);
    node->first_range = static_cast<std::uint32_t>(ahead_.y);
    node->layout = static_cast<std::uint32_t>(ahead_.w);
    node->first_weight = FloatOf(rest_ahead_.x);
    node->first_value = FloatOf(rest_ahead_.y);
    node->second_value = FloatOf(rest_ahead_.z);
    node->earlier = rest_ahead_.w;
    ahead_key_ = Key(static_cast<std::uint32_t>(ahead_.z));
    ahead_ = ReadWords(++next_, 0);  // one node of padding ends the array
    rest_ahead_ = ReadWords(next_, 1);
  }
  KAURI_HD float Point(int q) const { return task_.point[q]; }
  KAURI_HD float Weight(int q) const { return task_.weight[q]; }
  KAURI_HD float Cold(int q) const { return task_.cold[q]; }
  KAURI_HD PathFeature State(std::int32_t state) const { return states_[state]; }
  KAURI_HD void LoadInverse(std::int32_t state, float (&inverse)[kPoints]) const {
    auto const* row =
        reinterpret_cast<float const*>(inverses_ + static_cast<std::uint64_t>(state) * task_.inverse_bytes);
    if constexpr (kPoints % 4 == 0) {
      for (int q = 0; q < kPoints; q += 4) {
        float4 const four = *reinterpret_cast<float4 const*>(row + q);
        inverse[q] = four.x;
        inverse[q + 1] = four.y;
        inverse[q + 2] = four.z;
        inverse[q + 3] = four.w;
      }
    } else {
      for (int q = 0; q < kPoints; q += 2) {
        float2 const two = *reinterpret_cast<float2 const*>(row + q);
        inverse[q] = two.x;
        inverse[q + 1] = two.y;
      }
    }
  }
  KAURI_HD std::int32_t Key(std::uint32_t slot) const {
    return *reinterpret_cast<std::int32_t const*>(keys_ + static_cast<std::uint64_t>(slot) * task_.key_bytes);
  }
  KAURI_HD CategoryConditionsView const& Categories() const { return task_.categories; }
  KAURI_HD void Save(int stack, int depth, float const (&values)[kPoints]) const {
    auto const level = stack == 0 ? depth - task_.spilled_downs : depth;
    if (IsSpilled(stack, level)) {
      for (int q = 0; q < kPoints; q += 2) Spilled(stack, level)[q / 2] = make_float2(values[q], values[q + 1]);
    } else {
      for (int q = 0; q < kPoints; q += 2) *Saved(stack, level, q) = make_float2(values[q], values[q + 1]);
    }
  }
  KAURI_HD void Load(int stack, int depth, float (&values)[kPoints]) const {
    auto const level = stack == 0 ? depth - task_.spilled_downs : depth;
    if (IsSpilled(stack, level)) {
      for (int q = 0; q < kPoints; q += 2) Unpack(Spilled(stack, level)[q / 2], &values[q]);
    } else {
      for (int q = 0; q < kPoints; q += 2) Unpack(*Saved(stack, level, q), &values[q]);
    }
  }
  KAURI_HD void Add(ProgramNode const& node, float value) const {
    if (kGeneral && static_cast<std::int32_t>(node.Place()) >= task_.window) {
      AddToSums(task_.sums.cells.Slot(batch_.output, SlotOf(node)), value);
    } else {
      *Cell(node.layout) += value;
    }
  }
  KAURI_HD std::int64_t PartnersBegin() const { return task_.partner_begin[Index()]; }
  KAURI_HD std::int64_t PartnersEnd() const { return task_.partner_begin[Index() + 1]; }
  KAURI_HD ProgramPartner Partner(std::int64_t i) const { return task_.partners[i]; }
  KAURI_HD void AddPair(std::int32_t pair, float value) const { AddToSums(task_.sums.cells.Pair(pair), value); }

  /// Clears the cells, before the program.
  KAURI_HD void ClearPlaces() const {
    for (std::uint32_t place = 0; place < NumCells(); ++place) *Cell(place << ProgramNode::kPlaceShift) = 0.0F;
  }
  KAURI_HD void AddPlaces() const {
    for (std::uint32_t place = 0; place < NumCells(); ++place) {
      auto const slot = task_.slot_of_place[batch_.place_begin + place];
      AddToSums(task_.sums.cells.Slot(batch_.output, slot), *Cell(place << ProgramNode::kPlaceShift));
    }
  }

 private:
  KAURI_HD static int4 ReadWords(ProgramNode const* node, int half) {
    return reinterpret_cast<int4 const*>(node)[half];
  }
  KAURI_HD static float FloatOf(int bits) {
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  KAURI_HD static void Unpack(float2 two, float* values) {
    values[0] = two.x;
    values[1] = two.y;
  }
  KAURI_HD bool IsSpilled(int stack, int level) const { return stack == 0 ? level < 0 : level >= task_.kept_firsts; }
  KAURI_HD float2* Spilled(int stack, int level) const {
    return spilled_ + (stack == 0 ? -level - 1 : task_.spilled_downs + level - task_.kept_firsts) * (kPoints / 2);
  }
  KAURI_HD float2* Saved(int stack, int level, int q) const {
    return stack_ + ((stack * task_.kept_downs + level) * (kPoints / 2) + q / 2) * kLaneThreads;
  }
  KAURI_HD std::uint32_t NumCells() const {
    return static_cast<std::uint32_t>(batch_.n_places < task_.window ? batch_.n_places : task_.window);
  }
  /// Returns the thread's cell of a place. A layout's place is already a multiple of the bytes of all threads' cells.
  KAURI_HD float* Cell(std::uint32_t layout) const {
    static_assert((1U << ProgramNode::kPlaceShift) == kLaneThreads * sizeof(float), "cells are addressed by layouts");
    constexpr std::uint32_t kPlaces = ~((1U << ProgramNode::kPlaceShift) - 1U);
    return reinterpret_cast<float*>(memory_ + ((layout & kPlaces) | thread_offset_));
  }
  KAURI_HD std::uint32_t SlotOf(ProgramNode const& node) const {
    return task_.slot_of_place[batch_.place_begin + node.Place()];
  }
  /// Returns the index of the current node.
  KAURI_HD std::int64_t Index() const { return next_ - task_.nodes - 1; }
  KAURI_HD void AddToSums([[maybe_unused]] std::int64_t cell, [[maybe_unused]] float value) const {
#if defined(__CUDA_ARCH__)
    if (row_ < task_.keys.n_rows) AddToSum(task_.sums, row_, cell, units_, value);
#endif
  }

  LaneTask const& task_;
  ProgramBatch const& batch_;
  double units_;             ///< of 1, for the batch's output
  ProgramNode const* next_;  ///< after the current one
  ProgramNode const* end_;
  std::int64_t row_;
  char const* keys_;  ///< of the row
  unsigned char* memory_;
  unsigned thread_offset_;
  float2* stack_;
  float2* spilled_;
  PathFeature const* states_;
  char const* inverses_;  ///< of the pass
  int4 ahead_;            ///< the next node
  int4 rest_ahead_;
  std::int32_t ahead_key_;
};

}  // namespace kauri::cuda
