/// \file The group of ranks that XGBoost's clients join by XGCommunicatorInit, and what takes part in it.
///
/// A group belongs to the thread that joined it. Boosters that the thread trains or evaluates meanwhile do so over all
/// ranks. Their matrices need no row numbers: the first call that uses a matrix numbers the rows of all ranks, in the
/// order of ranks.
#pragma once

#include <memory>

#include "collective/network/socket_group.h"
#include "data/batches/row_source.h"
#include "kauri/c_api.h"
#include "kauri/context.h"
#include "kauri/span.h"

namespace kauri::c_api {

/// The calling thread's group, null before XGCommunicatorInit with a tracker.
std::shared_ptr<SocketGroup>& GroupOfThread();

/// Returns the calling thread's group if it has several ranks, otherwise null.
std::shared_ptr<SocketGroup> GroupOfRanks();

/// Makes the booster train and evaluate over the thread's group, or alone if there is none, and numbers the rows of the
/// matrices in it. Ranks without rows take the columns of the others. Call it before the handles are held. \throws
/// Error(kCollective), and as the lookup of handles; all ranks fail then.
void EnterGroup(BoosterHandle booster, Span<DMatrixHandle const> matrices);

/// Returns a source whose batches without rows have the columns of the ranks with rows. Null if the call is not
/// distributed, or the batches are complete.
std::unique_ptr<RowSource> WithColumnsOfGroup(Context const& ctx, RowSource* source);

}  // namespace kauri::c_api
