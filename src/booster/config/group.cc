#include "booster/config/group.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "booster/model_io/model_io.h"
#include "collective/checked_collective.h"
#include "collective/reduce.h"
#include "collective/row_ranges.h"
#include "data/sketch/group_columns.h"
#include "kauri/version.h"

namespace kauri {
namespace {

/// Returns whether a parameter may differ between ranks, because it changes no result.
bool IsOfOneRank(std::string const& name) {
  static std::set<std::string> const kNames{"nthread", "verbosity", "validate_parameters", "memory_budget"};
  return kNames.count(name) != 0;
}

/// Returns the kind of a device. Ranks have different devices, but of one kind: each kind makes other collective calls.
std::string KindOf(Device const& device) { return device.kind == DeviceKind::kCpu ? "cpu" : "cuda"; }

std::string TextOf(Components const& parts) {
  std::string text = KAURI_VERSION;
  for (auto const& [name, value] : parts.effective) {
    if (!IsOfOneRank(name)) text += ", " + name + "=" + (name == "device" ? KindOf(parts.ctx.device) : value);
  }
  for (auto const& metric : parts.metric_names) text += ", eval_metric=" + metric;
  return text;
}

/// Checks that each field of rows is given on all ranks or on none. Ranks without rows do not count.
void RequireFieldsOnAll(Context const& ctx, MetaInfo const& info) {
  struct Field {
    char const* name;
    bool is_given;
  };
  std::array<Field, 6> const fields{{{"label", !info.labels.empty()},
                                     {"weight", !info.weights.empty()},
                                     {"base_margin", !info.base_margin.empty()},
                                     {"label_lower_bound", !info.label_lower_bound.empty()},
                                     {"label_upper_bound", !info.label_upper_bound.empty()},
                                     {"group", !info.group_ptr.empty()}}};
  std::array<std::uint64_t, 12> seen{};  // two flags a field: some rank has it, some rank lacks it
  for (std::size_t i = 0; i < fields.size() && info.n_rows > 0; ++i) seen[2 * i + (fields[i].is_given ? 0 : 1)] = 1;
  MaxOverRanks(ctx, {seen.data(), seen.size()});
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (seen[2 * i] == 0 || seen[2 * i + 1] == 0) continue;
    throw AgreedError(ErrorKind::kData, std::string("some ranks of the group have the field '") + fields[i].name +
                                            "' and others do not; give it on all ranks or on none.");
  }
}

}  // namespace

void RequireSameRows(Context const& ctx, MetaInfo const& info) {
  RequireFieldsOnAll(ctx, info);
  RequirePartition(ctx, info);
}

void RequireSameRound(Components const& parts, DataMatrix const& train, Model const& model) {
  auto const& ctx = parts.ctx;
  RequireSameOnRanks(ctx, "their version or parameters", TextOf(parts));
  RequireSameOnRanks(
      ctx, "the model that they go on with",
      std::to_string(model.NumIterations()) + " rounds of " + std::to_string(model.trees.size()) + " trees");
  RequireSameColumns(ctx, train.Info());
  RequireSameRows(ctx, train.Info());
}

namespace {

using Bytes = std::vector<std::byte>;

/// Returns the digest of more than half of the ranks, or rank 0's digest if there is no majority.
Bytes const& MostCommon(std::vector<Bytes> const& all) {
  auto const half = static_cast<std::ptrdiff_t>(all.size() / 2);
  for (auto const& one : all) {
    if (std::count(all.begin(), all.end(), one) > half) return one;
  }
  return all.front();
}

}  // namespace

void RequireSameModel(Context const& ctx, Model const& model) {
  if (!IsDistributed(ctx)) return;
  auto shared = model;
  shared.feature_names.clear();  // ranks without rows need not know them
  shared.feature_types.clear();
  auto const mine = DigestOfModel(std::move(shared));
  auto const all = ctx.collective->Gather({reinterpret_cast<std::byte const*>(mine.data()), mine.size()});
  auto const& most_frequent = MostCommon(all);
  std::string others;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank] != most_frequent) others += (others.empty() ? "" : ", ") + std::to_string(rank);
  }
  if (others.empty()) return;
  throw AgreedError(
      ErrorKind::kCollective,
      "the ranks of the group have not trained the same model: a model other than the majority's (or other than "
      "rank 0's, if there is no majority) is on rank " +
          others + " of " + std::to_string(all.size()) +
          ". A message between ranks was corrupted, or a machine computed wrongly; train again without " +
          "those ranks, and use none of these models.");
}

}  // namespace kauri
