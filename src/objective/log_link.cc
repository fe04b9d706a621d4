#include "objective/log_link.h"

#include "common/block_sum.h"
#include "common/math.h"
#include "common/parallel_for.h"
#include "kauri/error.h"
#include "objective/gradient_kernels.h"

namespace kauri {

void ExpMargins(Context const& ctx, Span<float> values) {
  ParallelForBlocks(
      ctx, static_cast<std::int64_t>(values.size()), kRowBlock,
      [&](std::int64_t begin, std::int64_t end, std::int64_t) { ExpInPlace(values.data() + begin, end - begin); });
}

float LogOfBaseScore(std::string const& objective, float base_score) {
  if (!(base_score >= 0.0F)) {
    Fail(ErrorKind::kParameter, "parameter base_score='", base_score, "' is not in the range of e^margin; ", objective,
         " expects a value above 0");
  }
  return LogFloat(base_score);
}

}  // namespace kauri
