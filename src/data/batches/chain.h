/// \file Several tables concatenated vertically.
#pragma once

#include <memory>
#include <vector>

#include "kauri/data_matrix.h"

namespace kauri {

/// \throws Error(kData) always: there is no batch.
[[noreturn]] void FailWithoutBatch();

/// Returns a view of the rows of all parts, in order. It is sparse if any part is sparse. \throws Error(kData) for
/// parts of different widths, and for none.
std::unique_ptr<DataView> MakeChain(std::vector<std::unique_ptr<DataView>> parts);

/// Returns a matrix of the rows of all parts, with all their metadata. Queries end with their part. Parts without rows
/// are left out. Cost: the parts and the result are in memory at the same time. \throws Error(kData) for parts that
/// disagree in their fields (columns, targets, outputs of the margin, names), and for none.
std::unique_ptr<DataMatrix> Concatenate(Context const& ctx, std::vector<std::unique_ptr<DataMatrix>> parts);

/// Returns the joined metadata of all parts. There must be at least one part, and none without rows unless it is the
/// only one. \throws Error(kData) as Concatenate does.
MetaInfo JoinInfo(std::vector<MetaInfo const*> const& parts);

}  // namespace kauri
