/// \file Checks by ranks that train one model together, so that no rank waits for the others in vain.
#pragma once

#include <exception>
#include <string>

#include "booster/config/components.h"
#include "collective/checked_collective.h"
#include "kauri/collective.h"
#include "kauri/data_matrix.h"
#include "kauri/model.h"

namespace kauri {

/// Checks that the rows of all ranks form one table, and that all ranks with rows have the same fields. Cost: two small
/// collective calls. \throws Error(kData), on all ranks, for a field that only some ranks have, and for rows that are
/// on no rank or on two.
void RequireSameRows(Context const& ctx, MetaInfo const& info);

/// Checks the inputs of a round: parameters, model and columns must be the same on every rank, and rows must satisfy
/// RequireSameRows. Cost: a few small collective calls. \throws Error(kCollective) naming both sides; as
/// RequireSameRows.
void RequireSameRound(Components const& parts, DataMatrix const& train, Model const& model);

/// Compares digests of all ranks' models at the end of training, in one call. \throws Error(kCollective), on all ranks,
/// naming the ranks whose model differs from the majority's, or from rank 0's if there is no majority.
void RequireSameModel(Context const& ctx, Model const& model);

/// Returns fn(). An exception on this rank aborts the collective calls of the other ranks.
template <typename Fn>
auto InGroup(Context const& ctx, Fn&& fn) {
  auto const tell = [&](char const* what) {
    auto const rank = ctx.collective->Rank();
    ctx.collective->Abort("rank " + std::to_string(rank) + " of the group failed: " + what);
  };
  if (!IsDistributed(ctx)) return fn();
  try {
    return fn();
  } catch (AgreedError const&) {
    throw;
  } catch (std::exception const& error) {
    tell(error.what());
    throw;
  } catch (...) {
    tell("unknown reason");
    throw;
  }
}

}  // namespace kauri
