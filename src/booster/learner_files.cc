/// Models, configurations and snapshots as bytes.
///
/// Kauri's own snapshot consists of the magic, the length of the configuration as 8 bytes little-endian, the
/// configuration (JSON), and the model (UBJSON). In the middle of process_type=update it has another magic, the model
/// is preceded by its length, and the model that provides the remaining rounds follows.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "booster/config/config_document.h"
#include "booster/config/configuration.h"
#include "booster/config/parameter_check.h"
#include "booster/learner.h"
#include "booster/model/trained_model.h"
#include "booster/model_io/model_io.h"
#include "booster/training/training.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr std::string_view kMagic = "KAURI-SNAPSHOT-1\n";
constexpr std::string_view kMagicOfUnfinished = "KAURI-SNAPSHOT-2\n";

void Append(std::string const& part, std::string* bytes) {
  for (unsigned shift = 0; shift < 64; shift += 8) *bytes += static_cast<char>(part.size() >> shift & 0xFFU);
  *bytes += part;
}

/// Removes from `bytes` a part written by Append, and returns it. `what` names the part in messages.
std::string TakePart(char const* what, Span<char const>* bytes) {
  auto const left = bytes->size() - std::min(bytes->size(), sizeof(std::uint64_t));
  std::uint64_t length = 0;
  if (left > 0) {
    for (int byte = 7; byte >= 0; --byte) length = length << 8U | static_cast<unsigned char>((*bytes)[byte]);
  }
  if (length > left || bytes->size() < sizeof(std::uint64_t)) {
    Fail(ErrorKind::kModel, "the snapshot is cut short: it announces a ", what, " of ", length, " bytes, ", left,
         " are left.");
  }
  auto const size = static_cast<std::size_t>(length);
  std::string part(bytes->data() + sizeof(std::uint64_t), size);
  *bytes = bytes->subspan(sizeof(std::uint64_t) + size, left - size);
  return part;
}

bool BeginsWith(Span<char const> bytes, std::string_view magic) {
  return std::string_view(bytes.data(), bytes.size()).substr(0, magic.size()) == magic;
}

}  // namespace

void Learner::LoadModel(Span<char const> bytes) { LoadModel(ParseModel(bytes)); }

void Learner::LoadModel(Model model) {
  Learner next(*configuration_);
  next.model_ = std::make_unique<TrainedModel>(std::move(model));
  next.configuration_->TakeFrom(next.model_->AsTrained());
  next.model_->Describe(*next.Ready()->Parts());
  Take(&next);
}

ModelDialect Learner::Dialect() const {
  auto const& client = configuration_->GetClient();
  return client.habits == Habits::kXgboost ? DialectOfClient(client.version, GetModel()) : ModelDialect{};
}

std::string Learner::SaveConfig() const {
  auto const ready = Ready();
  return ConfigAsJson(*ready->Parts(), ready->GetModel());
}

void Learner::LoadConfig(std::string const& json) {
  auto config = ParseConfig(json);
  configuration_->RemoveKnown(&config.of_model);
  config.params.merge(config.of_model);  // parameters of another model
  LoadConfig(config);
}

void Learner::LoadConfig(ConfigDocument const& config) {
  auto next = std::make_unique<Configuration>(*configuration_);
  auto sets_base_score = false;
  for (auto const& [name, value] : config.params) {
    if (AdaptParameter(name, value).name.empty()) continue;  // documents list more than users set
    auto const is_base_score = next->Set(name, value, GivenBy::kDocument) == "base_score";
    if (is_base_score && (!value.empty() || NumIterations() == 0)) sets_base_score = true;
  }
  for (auto const& name : config.metric_names) next->Set("eval_metric", name);
  configuration_ = std::move(next);
  if (sets_base_score) model_->SetHasIntercept(false);
}

std::string Learner::SaveSnapshot() const {
  auto const config = SaveConfig();
  if (configuration_->GetClient().habits == Habits::kXgboost) return SerialiseSnapshot(config, GetModel(), Dialect());
  auto const is_unfinished = Ready()->Parts()->booster->UpdatesTrees() && model_->Updated() != nullptr;
  std::string bytes(is_unfinished ? kMagicOfUnfinished : kMagic);
  Append(config, &bytes);
  auto const model = SerialiseModel(GetModel(), ModelFormat::kUbjson);
  if (!is_unfinished) return bytes + model;
  Append(model, &bytes);
  return bytes + SerialiseModel(*model_->Updated(), ModelFormat::kUbjson);
}

void Learner::LoadSnapshot(Span<char const> bytes) {
  auto const is_unfinished = BeginsWith(bytes, kMagicOfUnfinished);
  if (!is_unfinished && !BeginsWith(bytes, kMagic)) {
    auto snapshot = ParseSnapshot(bytes);
    return LoadSnapshot(snapshot.config, std::move(snapshot.model));
  }
  auto rest = bytes.subspan(kMagic.size(), bytes.size() - kMagic.size());
  auto const config = TakePart("configuration", &rest);
  if (!is_unfinished) return LoadSnapshot(config, ParseModel(rest));
  auto const model = TakePart("model", &rest);
  auto updated = std::make_shared<Model const>(ParseModel(rest));
  LoadSnapshot(config, ParseModel({model.data(), model.size()}));
  model_->SetUpdated(std::move(updated));
}

void Learner::LoadSnapshot(std::string const& config, Model model) {
  if (config.empty()) return LoadModel(std::move(model));
  auto const document = ParseConfig(config);
  Learner next(*configuration_);
  if (document.is_own) {
    next.model_ = std::make_unique<TrainedModel>(std::move(model));
  } else {
    next.LoadModel(std::move(model));
  }
  next.LoadConfig(document);
  next.configuration_->Restore(document.of_model);
  auto const& trained = next.model_->AsTrained();  // the base score may have been changed for the next round
  next.model_->SetHasIntercept(next.NumIterations() > 0 && next.configuration_->AgreesWithBaseScore(trained));
  Take(&next);
}

void Learner::Take(Learner* other) noexcept {
  configuration_ = std::move(other->configuration_);
  model_ = std::move(other->model_);
  training_ = std::move(other->training_);
}

}  // namespace kauri
