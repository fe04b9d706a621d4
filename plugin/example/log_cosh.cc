/// \file A plug-in with an objective of its own, example:logcosh: the logarithm of the hyperbolic cosine of the error,
/// similar to squared error near 0 and to absolute error far away. KAURI_PLUGINS=libkauri_example.so adds it to the
/// objectives.
#include <algorithm>
#include <cmath>
#include <memory>

#include "kauri/error.h"
#include "kauri/meta_info.h"
#include "kauri/objective.h"
#include "kauri/plugin.h"
#include "kauri/version.h"

namespace {

using kauri::Context;
using kauri::GradientPair;
using kauri::MetaInfo;
using kauri::Span;

constexpr char kName[] = "example:logcosh";

class LogCosh : public kauri::Objective {
 public:
  std::int64_t NumOutputs(MetaInfo const&) const override { return 1; }
  void ValidateInfo(Context const& /*ctx*/, MetaInfo const& info) const override {
    if (static_cast<std::int64_t>(info.labels.size()) == info.n_rows) return;
    kauri::Fail(kauri::ErrorKind::kData, kName, ": ", info.labels.size(), " labels for ", info.n_rows,
                " rows; give one label a row.");
  }
  /// The derivatives of ln(cosh(margin - label)) are tanh and 1 - tanh^2; the latter must not vanish.
  void ComputeGradients(Context const&, Span<float const> margins, MetaInfo const& info, std::int64_t,
                        Span<GradientPair> out) const override {
    for (std::size_t row = 0; row < out.size(); ++row) {
      auto const slope = std::tanh(margins[row] - info.labels[row]);
      auto const weight = info.Weight(static_cast<std::int64_t>(row));
      out[row] = {slope * weight, std::max(1.0F - slope * slope, 1e-6F) * weight};
    }
  }
  std::vector<float> EstimateBaseScore(Context const&, MetaInfo const&) const override { return {0.0F}; }
  void TransformMargins(Context const&, Span<float>, std::int64_t) const override {}
  std::string DefaultMetric() const override { return "mae"; }
  std::string Name() const override { return kName; }
};

void RegisterEntries(kauri::Registries* registries) {
  registries->objectives.Add({kName, "Regression with the logarithm of the hyperbolic cosine of the error.",
                              [](kauri::ParamMap const&) { return std::make_unique<LogCosh>(); }});
}

}  // namespace

extern "C" kauri::Plugin const* KauriPluginEntry() {
  static kauri::Plugin const kPlugin{kauri::kPluginInterface, KAURI_VERSION, "example", nullptr, &RegisterEntries};
  return &kPlugin;
}
