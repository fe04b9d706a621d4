/// \file Several tables one below the other, as one.
#pragma once

#include <memory>
#include <vector>

#include "kauri/data_matrix.h"

namespace kauri {

/// \throws Error(kData).
[[noreturn]] void FailWithoutBatch();

/// A view of the rows of all parts, in order: sparse when one of them is. \throws Error(kData) for parts of different
/// widths, and for none.
std::unique_ptr<DataView> MakeChain(std::vector<std::unique_ptr<DataView>> parts);

/// A matrix of the rows of all parts, with all that is known of them. A query does not go on from one part to the next.
/// Parts without rows are left out. Cost: the parts and the result are in memory at the same time. \throws Error(kData)
/// for parts that disagree in what they have (columns, targets, outputs of the margin, names), and for none.
std::unique_ptr<DataMatrix> Concatenate(Context const& ctx, std::vector<std::unique_ptr<DataMatrix>> parts);

/// What is known of the rows of all parts. At least one part; none without rows unless it is the only one.
/// \throws Error(kData) as Concatenate does.
MetaInfo JoinInfo(std::vector<MetaInfo const*> const& parts);

}  // namespace kauri
