/// \file Record batches of the Arrow C data interface, made by hand.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "data/adapters/arrow.h"

namespace kauri::testing {

inline void ReleaseSchema(ArrowSchema* schema) { schema->release = nullptr; }
inline void ReleaseArray(ArrowArray* array) { array->release = nullptr; }
/// Increments an int that private_data points to.
inline void CountRelease(ArrowArray* array) {
  ++*static_cast<int*>(array->private_data);
  array->release = nullptr;
}

/// A schema of columns and batches for it. Addresses stay valid during the object's lifetime.
class ArrowMaker {
 public:
  ArrowMaker() {
    schema_.format = "+s";
    schema_.release = ReleaseSchema;
  }
  ArrowMaker(ArrowMaker const&) = delete;
  ArrowMaker& operator=(ArrowMaker const&) = delete;

  ArrowMaker& Field(char const* name, char const* format) {
    fields_.push_back({});
    fields_.back().name = name;
    fields_.back().format = format;
    fields_.back().release = ReleaseSchema;
    field_pointers_.push_back(&fields_.back());
    schema_.n_children = static_cast<std::int64_t>(field_pointers_.size());
    schema_.children = field_pointers_.data();
    return *this;
  }

  /// Returns a batch whose columns all have `length` elements in `values`, one buffer each.
  ArrowArray Batch(std::int64_t length, std::vector<void const*> const& values) {
    columns_.emplace_back();
    auto& pointers = columns_.back();
    for (auto const* value : values) {
      buffers_.push_back({nullptr, value});
      arrays_.push_back({});
      auto& array = arrays_.back();
      array.length = length;
      array.n_buffers = 2;
      array.buffers = buffers_.back().data();
      array.release = ReleaseArray;
      pointers.push_back(&array);
    }
    ArrowArray rows{};
    rows.length = length;
    rows.n_buffers = 1;
    rows.buffers = no_validity_;
    rows.n_children = static_cast<std::int64_t>(pointers.size());
    rows.children = pointers.data();
    rows.release = CountRelease;
    rows.private_data = &n_released_;
    return rows;
  }

  ArrowSchema* Schema() { return &schema_; }
  int NumReleased() const { return n_released_; }

  /// Returns a stream of batches that ends with `status`.
  ArrowArrayStream Stream(std::vector<ArrowArray> batches, int status = 0) {
    queue_ = {batches.begin(), batches.end()};
    status_ = status;
    ArrowArrayStream stream{};
    stream.private_data = this;
    stream.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
      *out = Of(self).schema_;
      return 0;
    };
    stream.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
      auto& maker = Of(self);
      *out = {};
      if (maker.queue_.empty()) return maker.status_;
      *out = maker.queue_.front();
      maker.queue_.pop_front();
      return 0;
    };
    stream.get_last_error = [](ArrowArrayStream*) { return "the disk is gone"; };
    stream.release = [](ArrowArrayStream* self) { self->release = nullptr; };
    return stream;
  }

 private:
  static ArrowMaker& Of(ArrowArrayStream* stream) { return *static_cast<ArrowMaker*>(stream->private_data); }

  ArrowSchema schema_{};
  std::deque<ArrowSchema> fields_;
  std::vector<ArrowSchema*> field_pointers_;
  std::deque<ArrowArray> arrays_;
  std::deque<std::vector<void const*>> buffers_;
  std::deque<std::vector<ArrowArray*>> columns_;
  void const* no_validity_[1] = {nullptr};
  std::deque<ArrowArray> queue_;
  int status_ = 0;
  int n_released_ = 0;
};

}  // namespace kauri::testing
