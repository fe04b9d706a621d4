/// Models, configurations and snapshots as bytes.
///
/// Kauri's own snapshot is: the magic, the length of the configuration as 8 bytes little-endian, the configuration
/// (JSON), the model (UBJSON).
#include <cstdint>
#include <cstring>
#include <utility>

#include "booster/config_document.h"
#include "booster/configuration.h"
#include "booster/learner.h"
#include "booster/learnt_model.h"
#include "booster/model_io/model_io.h"
#include "booster/model_io/snapshot.h"
#include "booster/parameter_check.h"
#include "booster/training.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr char kMagic[] = "KAURI-SNAPSHOT-1\n";
constexpr std::size_t kMagicLength = sizeof(kMagic) - 1;
constexpr std::size_t kHeaderLength = kMagicLength + sizeof(std::uint64_t);

std::uint64_t ReadLength(char const* bytes) {
  std::uint64_t length = 0;
  for (int byte = 7; byte >= 0; --byte) length = length << 8U | static_cast<unsigned char>(bytes[byte]);
  return length;
}

}  // namespace

void Learner::LoadModel(Span<char const> bytes) { LoadModel(ParseModel(bytes)); }

void Learner::LoadModel(Model model) {
  Learner next(*configuration_);
  next.model_ = std::make_unique<LearntModel>(std::move(model));
  next.configuration_->TakeFrom(next.model_->AsLearnt());
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

void Learner::LoadConfig(std::string const& json) { LoadConfig(ParseConfig(json)); }

void Learner::LoadConfig(ConfigDocument const& config) {
  auto next = std::make_unique<Configuration>(*configuration_);
  auto sets_base_score = false;
  for (auto const& [name, value] : config.params) {
    if (AdaptParameter(name, value).name.empty()) continue;  // documents say more than users do
    if (next->Set(name, value, GivenBy::kDocument) == "base_score") sets_base_score = true;
  }
  for (auto const& name : config.metric_names) next->Set("eval_metric", name);
  configuration_ = std::move(next);
  if (sets_base_score) model_->SetHasIntercept(false);
}

std::string Learner::SaveSnapshot() const {
  auto const config = SaveConfig();
  if (configuration_->GetClient().habits == Habits::kXgboost) return SerialiseSnapshot(config, GetModel(), Dialect());
  std::string bytes(kMagic, kMagicLength);
  for (unsigned shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(config.size() >> shift & 0xFFU);
  return bytes + config + SerialiseModel(GetModel(), ModelFormat::kUbjson);
}

void Learner::LoadSnapshot(Span<char const> bytes) {
  if (bytes.size() < kHeaderLength || std::memcmp(bytes.data(), kMagic, kMagicLength) != 0) {
    auto snapshot = ParseSnapshot(bytes);
    return LoadSnapshot(snapshot.config, std::move(snapshot.model));
  }
  auto const length = ReadLength(bytes.data() + kMagicLength);
  if (length > bytes.size() - kHeaderLength) {
    Fail(ErrorKind::kModel, "the snapshot is cut short: it announces a configuration of ", length, " bytes, ",
         bytes.size() - kHeaderLength, " are left.");
  }
  auto const config_end = kHeaderLength + static_cast<std::size_t>(length);
  auto const config = std::string(bytes.data() + kHeaderLength, static_cast<std::size_t>(length));
  LoadSnapshot(config, ParseModel(bytes.subspan(config_end, bytes.size() - config_end)));
}

void Learner::LoadSnapshot(std::string const& config, Model model) {
  if (config.empty()) return LoadModel(std::move(model));
  auto const document = ParseConfig(config);
  Learner next(*configuration_);
  if (document.is_own) {
    next.model_ = std::make_unique<LearntModel>(std::move(model));
  } else {
    next.LoadModel(std::move(model));
  }
  next.LoadConfig(document);
  next.model_->SetHasIntercept(next.NumIterations() > 0);
  Take(&next);
}

void Learner::Take(Learner* other) noexcept {
  configuration_ = std::move(other->configuration_);
  model_ = std::move(other->model_);
  training_ = std::move(other->training_);
}

}  // namespace kauri
