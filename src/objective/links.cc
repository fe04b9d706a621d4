#include "objective/links.h"

#include <algorithm>

#include "common/sums.h"
#include "common/threads/parallel_for.h"
#include "kauri/error.h"
#include "objective/gradient_kernels.h"

namespace kauri {

float LogitLink::BaseScoreToMargin(std::string const& objective, float base_score) {
  if (!(base_score >= 0.0F && base_score <= 1.0F)) {
    Fail(ErrorKind::kParameter, "parameter base_score='", base_score, "' is not a probability; ", objective,
         " expects a value in (0, 1)");
  }
  auto const probability = std::clamp(base_score, 1e-6F, 1.0F - 1e-6F);
  return -LogFloat(1.0F / probability - 1.0F);
}

float LogLink::BaseScoreToMargin(std::string const& objective, float base_score) {
  if (!(base_score >= 0.0F)) {
    Fail(ErrorKind::kParameter, "parameter base_score='", base_score, "' is not in the range of e^margin; ", objective,
         " expects a value above 0");
  }
  return LogFloat(base_score);
}

#define KAURI_DEFINE_LINK(Link)                                                     \
  void ApplyLink(Link link, Context const& ctx, Span<float> values) {               \
    ParallelForBlocks(ctx, static_cast<std::int64_t>(values.size()), kRowBlock,     \
                      [&](std::int64_t begin, std::int64_t end, std::int64_t) {     \
                        ApplyLinkToBlock(link, values.data() + begin, end - begin); \
                      });                                                           \
  }
KAURI_FOR_EACH_LINK(KAURI_DEFINE_LINK)
#undef KAURI_DEFINE_LINK

}  // namespace kauri
