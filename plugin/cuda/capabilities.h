/// \file The features that the plug-in's tree methods and engine support. No CUDA header is needed to read them.
#pragma once

#include "kauri/capabilities.h"

namespace kauri::cuda {

/// Returns the features of tree_method=exact on a device. The device evaluates the candidates of categorical columns in
/// parallel (category_warp.h), by their sums alone, so limits on rows and random thresholds do not go with categories.
inline Capabilities GpuExactSupports() {
  return {{Feature::kDeviceMemory, Feature::kPathSmoothing, Feature::kMonotone, Feature::kInteractions,
           Feature::kFeatureCosts, Feature::kAbsoluteError, Feature::kRandomThresholds, Feature::kMinDataInLeaf,
           Feature::kMinDataPerGroup, Feature::kCategories},
          {{Feature::kMinDataPerGroup, Feature::kCategories},
           {Feature::kMinDataInLeaf, Feature::kCategories},
           {Feature::kRandomThresholds, Feature::kCategories}}};
}

/// Returns the features of tree_method=approx on a device.
inline Capabilities GpuApproxSupports() {
  return {{Feature::kDeviceMemory, Feature::kSeveralDevices, Feature::kSharedCache, Feature::kPathSmoothing,
           Feature::kMonotone, Feature::kInteractions, Feature::kFeatureCosts, Feature::kGainNoise,
           Feature::kRandomThresholds, Feature::kMinDataInLeaf, Feature::kMinDataPerGroup, Feature::kMaxLeaves,
           Feature::kLossGuide, Feature::kCategories, Feature::kApproxBins, Feature::kPages, Feature::kCountedPages},
          {{Feature::kSharedCache, Feature::kApproxBins}}};
}

/// Returns the features of tree_method=hist on a device.
inline Capabilities GpuHistSupports() {
  return {{Feature::kDeviceMemory,
           Feature::kSeveralDevices,
           Feature::kRanks,
           Feature::kPathSmoothing,
           Feature::kMonotone,
           Feature::kInteractions,
           Feature::kFeatureCosts,
           Feature::kGainNoise,
           Feature::kRandomThresholds,
           Feature::kMinDataInLeaf,
           Feature::kMinDataPerGroup,
           Feature::kMaxLeaves,
           Feature::kLossGuide,
           Feature::kSymmetricTrees,
           Feature::kVectorLeaves,
           Feature::kCategories,
           Feature::kBins,
           Feature::kApproxBins,
           Feature::kPages,
           Feature::kCountedPages,
           Feature::kRoundedGradients},
          {{Feature::kSymmetricTrees, Feature::kPages}, {Feature::kVectorLeaves, Feature::kRanks}}};
}

/// Returns the features of the engine in device memory.
inline Capabilities CudaEngineSupports() { return {{Feature::kRowSampling, Feature::kGradientSampling}}; }

}  // namespace kauri::cuda
