/// \file What ranks that learn one model make sure of, so that none of them waits for the others in vain.
#pragma once

#include <exception>
#include <string>

#include "booster/components.h"
#include "collective/checked_collective.h"
#include "kauri/collective.h"
#include "kauri/data_matrix.h"
#include "kauri/model.h"

namespace kauri {

/// \throws Error(kParameter) for what only one process can learn: before a word is said to the others.
void RequireGroupTraining(Components const& parts);

/// Parameters, sizes of the model and columns must be the same on every rank, and the rows of all ranks one table.
/// A few small calls. \throws Error(kCollective) naming both sides; Error(kData) for rows that are on no rank, or on
/// two, on all ranks.
void RequireSameRound(Components const& parts, DataMatrix const& train, Model const& model);

/// Returns fn(). What it throws on this rank ends the calls of the others.
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
