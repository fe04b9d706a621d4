#include "common/loss/loss_param.h"

#include <cmath>

#include "common/text/number_list.h"
#include "common/text/quoted.h"
#include "kauri/error.h"

namespace kauri {

DMLC_REGISTER_PARAMETER(PseudoHuberParam);
DMLC_REGISTER_PARAMETER(FairParam);
DMLC_REGISTER_PARAMETER(FocalParam);
DMLC_REGISTER_PARAMETER(QuantileParam);
DMLC_REGISTER_PARAMETER(ExpectileParam);
DMLC_REGISTER_PARAMETER(AftParam);

namespace {

std::vector<float> ParseAlphas(char const* name, std::string const& text) {
  std::vector<float> alphas;
  if (ParseNumbers(text, &alphas)) return alphas;
  Fail(ErrorKind::kParameter, "parameter ", name, "=", Quoted(text),
       " is not valid; expected a number or several as in [0.1, 0.9]");
}

std::vector<float> RequireAlphas(char const* name, std::string const& text, std::string const& user) {
  auto alphas = ParseAlphas(name, text);
  if (alphas.empty()) {
    Fail(ErrorKind::kParameter, user, " needs the parameter ", name, "; give a number or several as in [0.1, 0.9]");
  }
  return alphas;
}

}  // namespace

void PseudoHuberParam::Validate() const {
  if (std::isfinite(huber_slope) && huber_slope != 0.0F) return;
  Fail(ErrorKind::kParameter, "parameter huber_slope='", huber_slope, "' is not a finite number other than 0");
}

void FairParam::Validate() const {
  if (std::isfinite(fair_c) && fair_c > 0.0F) return;
  Fail(ErrorKind::kParameter, "parameter fair_c='", fair_c, "' is not a finite number above 0");
}

void QuantileParam::Validate() const {
  for (auto const alpha : ParseAlphas("quantile_alpha", quantile_alpha)) {
    if (alpha >= 0.0F && alpha <= 1.0F) continue;
    Fail(ErrorKind::kParameter, "parameter quantile_alpha=", Quoted(quantile_alpha), " holds ", alpha,
         "; quantiles are in [0, 1]");
  }
}

std::vector<float> QuantileParam::Alphas(std::string const& user) const {
  return RequireAlphas("quantile_alpha", quantile_alpha, user);
}

void ExpectileParam::Validate() const {
  auto before = 0.0F;
  for (auto const alpha : ParseAlphas("expectile_alpha", expectile_alpha)) {
    if (!(alpha > before && alpha < 1.0F)) {
      Fail(ErrorKind::kParameter, "parameter expectile_alpha=", Quoted(expectile_alpha), " holds ", alpha,
           "; expectiles are in (0, 1), each larger than the one before");
    }
    before = alpha;
  }
}

std::vector<float> ExpectileParam::Alphas(std::string const& user) const {
  return RequireAlphas("expectile_alpha", expectile_alpha, user);
}

void AftParam::Validate() const {
  if (std::isfinite(aft_loss_distribution_scale) && aft_loss_distribution_scale > 0.0F) return;
  Fail(ErrorKind::kParameter, "parameter aft_loss_distribution_scale='", aft_loss_distribution_scale,
       "' is not a finite number above 0");
}

}  // namespace kauri
