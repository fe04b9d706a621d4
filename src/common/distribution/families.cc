#include "common/distribution/members.h"

namespace kauri::distribution {

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
