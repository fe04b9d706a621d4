/// \file The single families, which families.cc lists.
#pragma once

#include "common/distribution/scores.h"

namespace kauri::distribution {

Family const& NormalFamily();
Family const& LaplaceFamily();
Family const& StudentTFamily();
Family const& LogNormalFamily();
Family const& GammaFamily();
Family const& ZeroInflatedGammaFamily();
Family const& PoissonFamily();
Family const& NegativeBinomialFamily();
Family const& ZeroInflatedPoissonFamily();
Family const& ZeroInflatedNegativeBinomialFamily();

}  // namespace kauri::distribution
