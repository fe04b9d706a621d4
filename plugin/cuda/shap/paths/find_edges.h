/// \file The edges of trees, merged with earlier edges on the same feature (predictor/paths/tree_paths.h), on the
/// device.
#pragma once

#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "predictor/forest/forest.h"
#include "predictor/paths/path_edges.h"

namespace kauri::cuda {

struct PathTree {
  std::int64_t first_node;  ///< into the device's nodes and leaf values
  std::int64_t first_edge;  ///< into arrays by edge, which have the trees one after the other
  std::int32_t output;
};

/// Edges of all trees of a range. Device memory; not owning.
struct DeviceEdgesView {
  EdgesView edges;
  /// elements of the path that ends at an edge, with its root, at most 255; 0: no path ends here
  std::uint8_t* path_size;
};

class DeviceEdges {
 public:
  DeviceEdges(CudaContext const& cuda, std::size_t n_edges)
      : parent_(cuda, n_edges),
        earlier_(cuda, n_edges),
        feature_(cuda, n_edges),
        zero_fraction_(cuda, n_edges),
        n_features_(cuda, n_edges),
        path_size_(cuda, n_edges) {}
  DeviceEdgesView View() const {
    return {{parent_.data(), earlier_.data(), feature_.data(), zero_fraction_.data(), n_features_.data()},
            path_size_.data()};
  }
  static constexpr std::size_t BytesPerEdge() {
    return 2 * sizeof(std::uint32_t) + sizeof(PathFeature) + sizeof(double) + sizeof(std::int32_t) + 1;
  }

 private:
  Buffer<std::uint32_t> parent_;
  Buffer<std::uint32_t> earlier_;
  Buffer<PathFeature> feature_;
  Buffer<double> zero_fraction_;
  Buffer<std::int32_t> n_features_;
  Buffer<std::uint8_t> path_size_;
};

/// Finds the edges of trees without categorical splits. trees: [n_trees], cover: by edge; all in device memory. The
/// result has the bits of FindEdges on the host.
void FindEdgesOnDevice(CudaContext const& cuda, NarrowReader const& nodes, PathTree const* trees, std::int64_t n_trees,
                       float const* cover, DeviceEdgesView const& to);

}  // namespace kauri::cuda
