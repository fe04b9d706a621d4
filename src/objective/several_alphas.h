/// \file Objectives of one label column that fit several statistics of the labels' distribution, with one output for
/// each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kauri/objective.h"

namespace kauri {

class SeveralAlphas : public Objective {
 public:
  SeveralAlphas(std::string name, std::vector<float> alphas) : name_(std::move(name)), alphas_(std::move(alphas)) {}

  std::int64_t NumOutputs(MetaInfo const&) const override { return NumAlphas(); }
  void ValidateInfo(MetaInfo const& info) const override;
  std::string Name() const override { return name_; }

 protected:
  std::vector<float> const& Alphas() const { return alphas_; }
  std::int64_t NumAlphas() const { return static_cast<std::int64_t>(alphas_.size()); }
  /// Returns Loss{alpha} for every alpha.
  template <typename Loss>
  std::vector<Loss> Losses() const {
    std::vector<Loss> losses;
    for (auto const alpha : alphas_) losses.push_back({alpha});
    return losses;
  }

 private:
  std::string name_;
  std::vector<float> alphas_;
};

}  // namespace kauri
