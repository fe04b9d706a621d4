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

/// The rows of all ranks must be one table, of which all ranks with rows know the same fields. Two small calls. \throws
/// Error(kData), on all ranks, for a field that some give, and for rows that are on no rank, or on two.
void RequireSameRows(Context const& ctx, MetaInfo const& info);

/// What a round learns from: parameters, model and columns must be the same on every rank, rows as RequireSameRows
/// says. A few small calls. \throws Error(kCollective) naming both sides; as RequireSameRows.
void RequireSameRound(Components const& parts, DataMatrix const& train, Model const& model);

/// At the end of training: the ranks compare digests of their models, in one call. \throws Error(kCollective), on all
/// ranks, naming those that have another model than most, or than rank 0 where no model is most ranks'.
void RequireSameModel(Context const& ctx, Model const& model);

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
