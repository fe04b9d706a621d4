/// \file The mapping from a row's margins to its values, as a name that writers of other languages can look up.
#pragma once

#include "kauri/objective.h"

namespace kauri::model_export {

/// Mappings of the objectives. `p` stands for a value, `m` for a margin.
enum class Transform {
  kIdentity,       ///< p = m
  kLogistic,       ///< p = 1 / (1 + e^-m)
  kHalfLogistic,   ///< p = 1 / (1 + e^-2m)
  kExponential,    ///< p = e^m
  kClass,          ///< p = 1 for a positive margin, else 0
  kSoftmax,        ///< probabilities of the classes
  kLikeliest,      ///< the number of the first class with the largest probability; one value
  kSorted,         ///< the margins in ascending order
  kSoftplusSteps,  ///< the first margin; each other value is the one before plus ln(1 + e^m)
};

/// Returns the mapping of an objective. \throws Error(kParameter) for an objective of a plug-in, whose mapping is known
/// to the plug-in alone.
Transform TransformOf(Objective const& objective, std::int64_t n_outputs);

}  // namespace kauri::model_export
