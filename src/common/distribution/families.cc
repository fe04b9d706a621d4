#include "common/distribution/members.h"

namespace kauri::distribution {

void Family::BlockGradients(RowBlock* block) const {
  auto const n = NumParameters();
  double raw[kMostParameters];
  for (std::int64_t i = 0; i < block->n; ++i) {
    for (int k = 0; k < n; ++k) raw[k] = block->raw[k][i];
    auto const row = Gradients(raw, block->label[i]);
    for (int k = 0; k < n; ++k) {
      block->gradient[k][i] = row.gradient[k];
      block->hessian[k][i] = row.hessian[k];
    }
  }
}

std::vector<Family const*> const& Families() {
  static std::vector<Family const*> const kFamilies{&NormalFamily(),
                                                    &LogNormalFamily(),
                                                    &LaplaceFamily(),
                                                    &StudentTFamily(),
                                                    &GammaFamily(),
                                                    &PoissonFamily(),
                                                    &NegativeBinomialFamily(),
                                                    &ZeroInflatedPoissonFamily(),
                                                    &ZeroInflatedNegativeBinomialFamily(),
                                                    &ZeroInflatedGammaFamily()};
  return kFamilies;
}

Family const* FindFamily(std::string const& name) {
  for (auto const* family : Families()) {
    if (name == family->Name()) return family;
  }
  return nullptr;
}

}  // namespace kauri::distribution
