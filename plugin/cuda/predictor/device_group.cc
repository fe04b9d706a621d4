#include "cuda/predictor/device_group.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <iterator>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "data/matrix_view.h"
#include "predictor/dependence/row_counter.h"
#include "predictor/interactions/set_interactions.h"

namespace kauri::cuda {
namespace {

// A host thread for each of several devices.

/// Runs tasks one after the other. The thread is kept between calls, because CUDA and memory are set up for each thread
/// anew. If no thread can be started, the caller's own runs the tasks.
class DeviceThread {
 public:
  DeviceThread();
  /// Waits for all tasks.
  ~DeviceThread();
  DeviceThread(DeviceThread const&) = delete;
  DeviceThread& operator=(DeviceThread const&) = delete;

  /// Returns a future that is ready when `work` is done, and holds its exception. Safe from many threads.
  std::future<void> Run(std::function<void()> work);

 private:
  void Loop();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::packaged_task<void()>> tasks_;
  bool ends_ = false;
  std::thread thread_;  ///< last: it uses the others
};

DeviceThread::DeviceThread() {
  try {
    thread_ = std::thread([this] { Loop(); });
  } catch (std::system_error const&) {
    thread_ = {};
  }
}

DeviceThread::~DeviceThread() {
  if (!thread_.joinable()) return;
  {
    std::lock_guard<std::mutex> const lock(mutex_);
    ends_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

std::future<void> DeviceThread::Run(std::function<void()> work) {
  std::packaged_task<void()> task(std::move(work));
  auto done = task.get_future();
  if (!thread_.joinable()) {
    task();
    return done;
  }
  {
    std::lock_guard<std::mutex> const lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  changed_.notify_one();
  return done;
}

void DeviceThread::Loop() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ends_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    auto task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

/// Parts begin at multiples of this: the rows of a block in the kernels for contributions.
constexpr std::int64_t kPartRows = 128;
/// A traversal with fewer rows takes less time than another thread needs to wake up.
constexpr std::int64_t kMinWalkRows = 1 << 14;

struct Member {
  int ordinal;
  std::shared_ptr<CompiledModel const> model;
  std::unique_ptr<DeviceThread> thread;
};

/// A model on several devices.
class GroupModel : public CompiledModel {
 public:
  GroupModel(Predictor const& one, Context const& ctx, Model const& model, TreeRange trees);

  std::size_t Size() const { return members_.size(); }
  CompiledModel const& On(std::size_t member) const { return *members_[member].model; }
  /// Returns `ctx` for the device of a member, with all of its threads for that member alone.
  Context Alone(Context const& ctx, std::size_t member) const { return Share(ctx, member, 1); }
  /// Returns the member whose device has these rows; if none has, the first, which will refuse them.
  std::size_t Holding(DeviceStorage const& rows) const;
  bool IsOn(std::size_t member, DeviceStorage const& rows) const {
    return members_[member].ordinal == rows.Layout().device;
  }

  using Work = std::function<void(Context const& ctx, std::size_t member)>;
  /// Runs work(ctx, member) for the first n members in parallel, each on its thread; waits for all. A single member
  /// runs on the calling thread.
  void Run(Context const& ctx, std::size_t n, Work const& work) const;

 private:
  Context Share(Context const& ctx, std::size_t member, std::size_t n) const;

  std::vector<Member> members_;
};

/// Results of the members. Waits before it is destroyed, because the threads refer to the caller's frame.
class Results {
 public:
  explicit Results(std::size_t n) { futures_.reserve(n); }
  ~Results() { Wait(); }
  Results(Results const&) = delete;
  Results& operator=(Results const&) = delete;

  void Add(std::future<void> result) { futures_.push_back(std::move(result)); }
  void Wait() const {
    for (auto const& future : futures_) {
      if (future.valid()) future.wait();
    }
  }
  /// Rethrows its exception, if it has one, with the device's name if that is informative.
  void Get(std::size_t i, int ordinal) {
    try {
      futures_[i].get();
    } catch (Error const& error) {
      auto const is_of_input = error.Kind() == ErrorKind::kData || error.Kind() == ErrorKind::kParameter;
      auto const name = "cuda:" + std::to_string(ordinal);
      std::string const what = error.what();
      if (is_of_input || what.find(name) != std::string::npos) throw;
      Fail(error.Kind(), "on ", name, ": ", what);
    }
  }

 private:
  std::vector<std::future<void>> futures_;
};

GroupModel::GroupModel(Predictor const& one, Context const& ctx, Model const& model, TreeRange trees) {
  for (auto const ordinal : ctx.device.ordinals) {
    members_.push_back({ordinal, nullptr, std::make_unique<DeviceThread>()});
  }
  Run(ctx, members_.size(),
      [&](Context const& own, std::size_t member) { members_[member].model = one.Compile(own, model, trees); });
}

std::size_t GroupModel::Holding(DeviceStorage const& rows) const {
  for (std::size_t member = 0; member < members_.size(); ++member) {
    if (IsOn(member, rows)) return member;
  }
  return 0;
}

Context GroupModel::Share(Context const& ctx, std::size_t member, std::size_t n) const {
  auto own = ctx;
  own.device = {DeviceKind::kCuda, members_[member].ordinal};
  auto const of = static_cast<int>(n);
  own.threads = std::max(1, ctx.threads / of + (static_cast<int>(member) < ctx.threads % of ? 1 : 0));
  return own;
}

void GroupModel::Run(Context const& ctx, std::size_t n, Work const& work) const {
  if (n == 1) return work(Alone(ctx, 0), 0);
  Results results(n);
  for (std::size_t member = 0; member < n; ++member) {
    results.Add(members_[member].thread->Run([&, member] { work(Share(ctx, member, n), member); }));
  }
  results.Wait();
  for (std::size_t member = 0; member < n; ++member) results.Get(member, members_[member].ordinal);
}

/// The part of a call that one member does.
struct Part {
  Context ctx;
  CompiledModel const& model;
  PredictTask task;
  std::size_t index;
  std::int64_t begin;  ///< rows of the call
  std::int64_t end;

  /// Returns the part of an array that belongs to rows [begin, end), if the array has the same number of elements for
  /// each of the call's n_rows. Any other array is returned whole, and the predictor of the part refuses its size.
  template <typename T>
  static Span<T> Of(Span<T> all, std::int64_t n_rows, std::int64_t begin, std::int64_t end) {
    if (n_rows == 0 || all.size() % static_cast<std::size_t>(n_rows) != 0) return all;
    auto const width = all.size() / static_cast<std::size_t>(n_rows);
    return all.subspan(static_cast<std::size_t>(begin) * width, static_cast<std::size_t>(end - begin) * width);
  }
};

std::int64_t Quotient(std::int64_t n, std::int64_t of) { return (n + of - 1) / of; }

/// Calls work(Part) for all parts of a call. A model on one device, and rows in device memory, make one part.
template <typename Work>
void ForEachPart(Context const& ctx, CompiledModel const& model, PredictTask const& task, std::int64_t min_rows,
                 Work const& work) {
  auto const n_rows = task.rows.NumRows();
  auto const* const group = dynamic_cast<GroupModel const*>(&model);
  if (group == nullptr) return work(Part{ctx, model, task, 0, 0, n_rows});
  if (auto const* const storage = task.rows.OnDevice()) {
    auto const member = group->Holding(*storage);
    return work(Part{group->Alone(ctx, member), group->On(member), task, 0, 0, n_rows});
  }
  auto const n_members = static_cast<std::int64_t>(group->Size());
  auto const wanted = std::clamp<std::int64_t>(Quotient(n_rows, min_rows), 1, n_members);
  auto const part_rows = std::max(kPartRows, Quotient(Quotient(n_rows, wanted), kPartRows) * kPartRows);
  auto const n_parts = std::max<std::int64_t>(1, Quotient(n_rows, part_rows));
  group->Run(ctx, static_cast<std::size_t>(n_parts), [&](Context const& own, std::size_t member) {
    auto const begin = static_cast<std::int64_t>(member) * part_rows;
    auto const end = std::min(n_rows, begin + part_rows);
    RowWindow const window(task.rows, begin, end);
    MarginStart const from{task.start.of_output, Part::Of(task.start.of_row, n_rows, begin, end)};
    work(Part{own, group->On(member), {window, task.trees, from}, member, begin, end});
  });
}

std::int64_t MinRows(PredictKind kind) {
  return kind == PredictKind::kMargin || kind == PredictKind::kLeaf ? kMinWalkRows : kPartRows;
}

void Append(SparseInteractions const& part, SparseInteractions* all) {
  auto const offset = static_cast<std::int64_t>(all->values.size());
  std::transform(part.begin.begin() + 1, part.begin.end(), std::back_inserter(all->begin),
                 [&](std::int64_t begin) { return offset + begin; });
  all->first.insert(all->first.end(), part.first.begin(), part.first.end());
  all->second.insert(all->second.end(), part.second.begin(), part.second.end());
  all->values.insert(all->values.end(), part.values.begin(), part.values.end());
}

/// Appends the rows of a part. All parts have the same sets.
void AppendSets(SetInteractions const& part, SetInteractions* all) {
  auto const offset = all->begin.back();
  std::transform(part.begin.begin() + 1, part.begin.end(), std::back_inserter(all->begin),
                 [&](std::int64_t begin) { return offset + begin; });
  all->sets.insert(all->sets.end(), part.sets.begin(), part.sets.end());
  all->values.insert(all->values.end(), part.values.begin(), part.values.end());
  all->base_values.insert(all->base_values.end(), part.base_values.begin(), part.base_values.end());
}

class DeviceGroupPredictor : public Predictor {
 public:
  explicit DeviceGroupPredictor(std::unique_ptr<Predictor> one) : one_(std::move(one)) {}

  std::shared_ptr<CompiledModel const> Compile(Context const& ctx, Model const& model, TreeRange trees) const override {
    if (ctx.device.ordinals.empty()) return one_->Compile(ctx, model, trees);
    return std::make_shared<GroupModel const>(*one_, ctx, model, trees);
  }

  void Predict(Context const& ctx, CompiledModel const& model, PredictTask const& task, PredictKind kind,
               Span<float> out) const override {
    ForEachPart(ctx, model, task, MinRows(kind), [&](Part const& part) {
      one_->Predict(part.ctx, part.model, part.task, kind, Part::Of(out, task.rows.NumRows(), part.begin, part.end));
    });
  }

  void PredictSparse(Context const& ctx, CompiledModel const& model, PredictTask const& task, std::int64_t top_k,
                     SparseInteractions* out) const override {
    auto const* const group = dynamic_cast<GroupModel const*>(&model);
    std::vector<SparseInteractions> parts(group == nullptr ? 1 : group->Size());
    ForEachPart(ctx, model, task, kPartRows, [&](Part const& part) {
      one_->PredictSparse(part.ctx, part.model, part.task, top_k, &parts[part.index]);
    });
    *out = std::move(parts[0]);
    for (std::size_t i = 1; i < parts.size(); ++i) Append(parts[i], out);
  }

  bool ComputesSets() const override { return one_->ComputesSets(); }

  void PredictSets(Context const& ctx, CompiledModel const& model, PredictTask const& task,
                   SetInteractionOptions const& options, SetInteractions* out) const override {
    auto const* const group = dynamic_cast<GroupModel const*>(&model);
    std::vector<SetInteractions> parts(group == nullptr ? 1 : group->Size());
    ForEachPart(ctx, model, task, kPartRows, [&](Part const& part) {
      one_->PredictSets(part.ctx, part.model, part.task, options, &parts[part.index]);
    });
    for (std::size_t i = 1; i < parts.size(); ++i) AppendSets(parts[i], &parts[0]);
    *out = std::move(parts[0]);
  }

  void PredictInterventional(Context const& ctx, CompiledModel const& model, PredictTask const& task,
                             DataView const& background, Span<float> out) const override {
    PredictAgainst(ctx, model, task, PredictKind::kContribution, background, out);
  }

  bool Computes(PredictKind kind, bool against_background) const override {
    return one_->Computes(kind, against_background);
  }

  /// Predicts against a background. One in the memory of another device is read from its copy on the host.
  void PredictAgainst(Context const& ctx, CompiledModel const& model, PredictTask const& task, PredictKind kind,
                      DataView const& background, Span<float> out) const override {
    RowWindow const on_host(background, 0, background.NumRows());
    auto const* const storage = background.OnDevice();
    ForEachPart(ctx, model, task, kPartRows, [&](Part const& part) {
      auto const elsewhere = storage != nullptr && storage->Layout().device != part.ctx.device.ordinal;
      one_->PredictAgainst(part.ctx, part.model, part.task, kind, elsewhere ? on_host : background,
                           Part::Of(out, task.rows.NumRows(), part.begin, part.end));
    });
  }

  /// Counts rows on a single device: the one that has them, or else the first.
  std::shared_ptr<RowCounter> MakeRowCounter(Context const& ctx, WeighedRows const& rows) const override {
    auto const& ordinals = ctx.device.ordinals;
    if (ordinals.empty()) return one_->MakeRowCounter(ctx, rows);
    auto const* const storage = rows.rows.OnDevice();
    auto const holder =
        storage == nullptr ? ordinals.end() : std::find(ordinals.begin(), ordinals.end(), storage->Layout().device);
    auto own = ctx;
    own.device = {DeviceKind::kCuda, holder == ordinals.end() ? ordinals.front() : *holder};
    return one_->MakeRowCounter(own, rows);
  }

  std::unique_ptr<DeviceFloats> PredictOnDevice(Context const& ctx, CompiledModel const& model,
                                                DevicePredictTask const& task) const override {
    auto const* const group = dynamic_cast<GroupModel const*>(&model);
    if (group == nullptr) return one_->PredictOnDevice(ctx, model, task);
    auto const member = group->Holding(task.rows);
    return one_->PredictOnDevice(group->Alone(ctx, member), group->On(member), task);
  }

 private:
  std::unique_ptr<Predictor> one_;
};

}  // namespace

std::unique_ptr<Predictor> MakeDeviceGroupPredictor(std::unique_ptr<Predictor> one) {
  return std::make_unique<DeviceGroupPredictor>(std::move(one));
}

}  // namespace kauri::cuda
