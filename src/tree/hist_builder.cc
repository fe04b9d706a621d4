#include "tree/hist_builder.h"

#include <limits>

#include "tree/hist_grower.h"
#include "tree/tree_common.h"

namespace kauri {
namespace {

class HistState : public BuildState {
 public:
  HistState(Context const& ctx, DataMatrix const& matrix, int max_bin) : data(ctx, matrix, max_bin) {}
  HistData data;
};

}  // namespace

std::string HistBuilder::StateKey() const { return "hist,max_bin=" + std::to_string(param_.max_bin); }

std::unique_ptr<BuildState> HistBuilder::MakeState(Context const& ctx, DataMatrix const& data) const {
  if (data.NumRows() > std::numeric_limits<std::uint32_t>::max()) {
    Fail(ErrorKind::kData, "tree_method=hist takes at most 4294967295 rows; the data have ", data.NumRows(),
         ". Train on a sample of them.");
  }
  return std::make_unique<HistState>(ctx, data, param_.max_bin);
}

Tree HistBuilder::Build(Context const& ctx, DataMatrix const& data, TreeTask const& task, BuildState* state,
                        Span<std::int32_t> leaf_of_row) const {
  CheckTask(task, data, leaf_of_row);
  return HistGrower(ctx, param_, rules_, task, &static_cast<HistState*>(state)->data, leaf_of_row).Grow();
}

std::unique_ptr<TreeBuilder> MakeHistBuilder(ParamMap const& map) {
  return std::make_unique<HistBuilder>(ParseParameters<TreeParam>(map));
}

}  // namespace kauri
