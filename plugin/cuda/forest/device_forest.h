/// \file A compiled forest in device memory.
///
/// Trees are ordered by output. Trees of one output keep the model's order, so their sum has the model's order too.
/// Each tree begins at a multiple of kNodeAlignment nodes, so that pieces of the arrays can be copied 16 bytes at a
/// time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "predictor/forest/forest.h"

namespace kauri::cuda {

constexpr std::int64_t kNodeAlignment = 4;

/// A tree, in device order.
struct TreeHead {
  std::int64_t begin;  ///< its first node
  std::int32_t depth;
  std::int32_t tree;  ///< number in the model, counted from the first compiled tree
};

/// Consecutive trees of one output whose nodes fit into a block's shared memory together, or one tree that does not
/// fit.
struct TreeChunk {
  std::int64_t node_begin;
  std::int32_t n_nodes;  ///< nodes to be copied; 0: too many, they are read in place
  std::int32_t head_begin;
  std::int32_t head_end;
  std::int32_t output;
};

/// Pointers into device memory; not owning.
struct ForestView {
  void const* nodes;  ///< NarrowNode or WideNode
  float const* leaf_value;
  std::int32_t const* node_id;
  TreeHead const* heads;
  std::uint32_t slot_bits;
  std::int32_t n_slots;
  std::int32_t n_outputs;
  std::uint32_t const* feature_of_slot;
  std::int32_t const* slot_of_feature;  ///< [n_mapped_features]
  std::int64_t n_mapped_features;
  CategorySetsView categories;
};

/// A forest on a device. The host's forest stays beside the copy, because contributions are computed from it.
/// Immutable, shared by any number of threads and streams. A stream that uses it must be waited for before it is
/// destroyed.
class DeviceForest {
 public:
  /// Nodes are narrow only without categorical splits. Uploads 12 to 24 bytes per node.
  /// \throws Error(kMemory) before anything is allocated, Error(kDevice).
  DeviceForest(Context const& ctx, Model const& model, TreeRange trees, CoverSource cover = CoverSource::kHessian);

  Forest const& OnHost() const { return forest_; }
  int DeviceOrdinal() const { return stream_.Context().device; }
  ForestView View() const;
  /// Returns the first node of each tree, numbered within the forest: [n_trees].
  std::vector<std::int64_t> FirstNodes() const;
  /// Returns the chunks of `range` (numbered within the forest) for buffers of `max_nodes` nodes. firsts_only: only the
  /// first tree of each group (forest.h), which has the leaves of the whole group.
  std::vector<TreeChunk> Chunks(TreeRange range, std::int64_t max_nodes, bool firsts_only) const;

 private:
  /// Where the arrays begin in `bytes_`.
  struct Places {
    std::size_t nodes;
    std::size_t leaf_value;
    std::size_t node_id;
    std::size_t heads;
    std::size_t feature_of_slot;
    std::size_t slot_of_feature;
    std::size_t sets;
    std::size_t set_data;
  };
  template <typename T>
  T const* At(std::size_t place) const {
    return reinterpret_cast<T const*>(bytes_.data() + place);
  }

  Forest forest_;
  StreamOwner stream_;               ///< before the buffers, which are freed on it
  std::vector<std::int64_t> order_;  ///< [n_trees], numbers within the forest in device order
  std::vector<TreeHead> host_heads_;
  std::vector<std::int64_t> node_count_;  ///< [n_trees], in device order, without padding
  Places places_{};
  Buffer<unsigned char> bytes_;  ///< all arrays, copied as one
};

}  // namespace kauri::cuda
