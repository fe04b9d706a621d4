#include "booster/model_io/document.h"

#include <algorithm>
#include <limits>

namespace kauri::model_io {

void DocumentBuilder::FailMixed() const {
  Fail(ErrorKind::kModel, "model: the array at '", Path(), "' mixes numbers with other things; the file is damaged");
}

void DocumentBuilder::MakeFloats(Frame* frame) {
  if (frame->kind == Kind::kFloats) return;
  frame->floats.assign(frame->integers.begin(), frame->integers.end());
  frame->integers = {};
  frame->kind = Kind::kFloats;
}

void DocumentBuilder::Add(Value value) {
  if (frames_.empty()) {
    root_ = std::move(value);
    return;
  }
  auto& frame = frames_.back();
  if (frame.kind == Kind::kObject) {
    frame.members.push_back({std::move(frame.key), std::move(value)});
    return;
  }
  if (frame.kind == Kind::kUndecided) frame.kind = Kind::kValues;
  if (frame.kind != Kind::kValues) FailMixed();
  frame.values.push_back(std::move(value));
}

void DocumentBuilder::Null() {
  if (frames_.empty() || frames_.back().kind == Kind::kObject) {
    Add({});
  } else {
    Float(std::numeric_limits<float>::quiet_NaN());
  }
}

void DocumentBuilder::Boolean(bool value) {
  if (frames_.empty() || frames_.back().kind == Kind::kObject) {
    Add({value});
  } else {
    Integer(value ? 1 : 0);
  }
}

void DocumentBuilder::Integer(std::int64_t value) {
  if (frames_.empty() || frames_.back().kind == Kind::kObject) return Add({value});
  auto& frame = frames_.back();
  if (frame.kind == Kind::kUndecided) frame.kind = Kind::kIntegers;
  if (frame.kind == Kind::kIntegers) {
    frame.integers.push_back(value);
  } else if (frame.kind == Kind::kFloats) {
    frame.floats.push_back(static_cast<float>(value));
  } else {
    FailMixed();
  }
}

void DocumentBuilder::Float(float value) {
  if (frames_.empty() || frames_.back().kind == Kind::kObject) return Add({value});
  auto& frame = frames_.back();
  if (frame.kind == Kind::kValues) FailMixed();
  MakeFloats(&frame);
  frame.floats.push_back(value);
}

void DocumentBuilder::String(std::string value) { Add({std::move(value)}); }

void DocumentBuilder::TypedArray(Value array) { Add(std::move(array)); }

void DocumentBuilder::Begin(Kind kind) {
  if (frames_.size() >= kMaxDepth) {
    Fail(ErrorKind::kModel, "model: nested deeper than ", kMaxDepth, " levels; this is not a model file");
  }
  Frame frame{};
  frame.kind = kind;
  frames_.push_back(std::move(frame));
}

DocumentBuilder::Frame DocumentBuilder::End() {
  auto frame = std::move(frames_.back());
  frames_.pop_back();
  return frame;
}

void DocumentBuilder::BeginObject() { Begin(Kind::kObject); }

void DocumentBuilder::Key(std::string key) { frames_.back().key = std::move(key); }

void DocumentBuilder::EndObject() {
  auto members = std::move(frames_.back().members);
  auto const less = [](Member const& a, Member const& b) { return a.key < b.key; };
  if (!std::is_sorted(members.begin(), members.end(), less)) std::stable_sort(members.begin(), members.end(), less);
  auto const same = [](Member const& a, Member const& b) { return a.key == b.key; };
  auto const twice = std::adjacent_find(members.begin(), members.end(), same);
  if (twice != members.end()) {
    Fail(ErrorKind::kModel, "model: the key '", Printable(twice->key), "' appears twice in the object that ends at '",
         Path(), "'; the file is damaged");
  }
  End();
  Add({std::move(members)});
}

void DocumentBuilder::BeginArray() { Begin(Kind::kUndecided); }

void DocumentBuilder::EndArray() {
  auto frame = End();
  if (frame.kind == Kind::kValues) {
    Add({std::move(frame.values)});
  } else if (frame.kind == Kind::kFloats) {
    Add({std::move(frame.floats)});
  } else {
    Add({std::move(frame.integers)});
  }
}

Value DocumentBuilder::Take() { return std::move(root_); }

std::string DocumentBuilder::Path() const {
  std::string path;
  for (auto const& frame : frames_) {
    if (frame.kind == Kind::kObject) {
      if (!path.empty()) path += '.';
      path += Printable(frame.key);
    } else {
      path += '[' + std::to_string(frame.values.size() + frame.integers.size() + frame.floats.size()) + ']';
    }
  }
  return path;
}

std::string Printable(std::string const& text) {
  constexpr std::size_t kLongest = 60;
  std::string printable;
  for (auto const letter : text.substr(0, kLongest)) printable += letter < ' ' || letter > '~' ? '?' : letter;
  return printable + (text.size() > kLongest ? "..." : "");
}

}  // namespace kauri::model_io
