#include "data/batches/chain.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/memory_size.h"
#include "data/matrix_view.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 10;

class Parts {
 public:
  explicit Parts(std::vector<std::unique_ptr<DataView>> parts) : parts_(std::move(parts)) {
    for (auto const& part : parts_) {
      first_row_.push_back(first_row_.back() + part->NumRows());
      if (part->NumCols() != NumCols()) {
        Fail(ErrorKind::kData, "batch ", first_row_.size() - 2, " has ", part->NumCols(), " columns, but batch 0 has ",
             NumCols(), "; all must have the same.");
      }
    }
  }
  std::int64_t NumRows() const { return first_row_.back(); }
  std::int64_t NumCols() const { return parts_.front()->NumCols(); }
  std::vector<std::unique_ptr<DataView>> const& All() const { return parts_; }

  /// Calls fn(part, begin, end) for the rows of each part that overlap [begin, end).
  template <typename Fn>
  void ForEach(std::int64_t begin, std::int64_t end, Fn&& fn) const {
    auto part = std::upper_bound(first_row_.begin(), first_row_.end(), begin) - first_row_.begin() - 1;
    for (; begin < end; ++part) {
      auto const first = first_row_[part];
      auto const stop = std::min(end, first_row_[part + 1]);
      if (begin < stop) fn(*parts_[part], begin - first, stop - first);
      begin = stop;
    }
  }

  void CopyRows(std::int64_t begin, std::int64_t end, std::int64_t n_cols, float* tile) const {
    ForEach(begin, end, [&](DataView const& part, std::int64_t from, std::int64_t to) {
      part.CopyRows(from, to, n_cols, tile);
      tile += (to - from) * n_cols;
    });
  }

 private:
  std::vector<std::unique_ptr<DataView>> parts_;
  std::vector<std::int64_t> first_row_{0};  ///< [n_parts + 1]
};

class DenseChain : public DataView {
 public:
  explicit DenseChain(Parts parts) : parts_(std::move(parts)) {}
  std::int64_t NumRows() const override { return parts_.NumRows(); }
  std::int64_t NumCols() const override { return parts_.NumCols(); }
  void CopyRows(std::int64_t begin, std::int64_t end, std::int64_t n_cols, float* tile) const override {
    parts_.CopyRows(begin, end, n_cols, tile);
  }

 private:
  Parts parts_;
};

/// Returns the present entries of dense rows.
CsrStorage CompressDense(DataView const& view) {
  CsrStorage out;
  out.row_ptr.push_back(0);
  std::vector<float> tile;
  for (std::int64_t begin = 0; begin < view.NumRows(); begin += kRowsPerBlock) {
    auto const end = std::min(view.NumRows(), begin + kRowsPerBlock);
    tile.resize(SizeInMemory((end - begin) * view.NumCols()));
    view.CopyRows(begin, end, view.NumCols(), tile.data());
    auto const* value = tile.data();
    for (auto row = begin; row < end; ++row) {
      for (std::int64_t col = 0; col < view.NumCols(); ++col, ++value) {
        if (std::isnan(*value)) continue;
        out.features.push_back(static_cast<std::uint32_t>(col));
        out.values.push_back(*value);
      }
      out.row_ptr.push_back(static_cast<std::int64_t>(out.values.size()));
    }
  }
  return out;
}

void Append(CsrStorage const& rows, CsrStorage* out) {
  auto const first = out->row_ptr.back();
  for (std::size_t row = 1; row < rows.row_ptr.size(); ++row) out->row_ptr.push_back(first + rows.row_ptr[row]);
  out->features.insert(out->features.end(), rows.features.begin(), rows.features.end());
  out->values.insert(out->values.end(), rows.values.begin(), rows.values.end());
}

class SparseChain : public SparseView {
 public:
  explicit SparseChain(Parts parts) : parts_(std::move(parts)) {}
  std::int64_t NumRows() const override { return parts_.NumRows(); }
  std::int64_t NumCols() const override { return parts_.NumCols(); }
  void CopyRows(std::int64_t begin, std::int64_t end, std::int64_t n_cols, float* tile) const override {
    parts_.CopyRows(begin, end, n_cols, tile);
  }

  CsrStorage CopyCsr(Context const& ctx) const override {
    CsrStorage out;
    out.row_ptr.push_back(0);
    for (auto const& part : parts_.All()) {
      auto const* sparse = dynamic_cast<SparseView const*>(part.get());
      auto const* owned = sparse == nullptr ? nullptr : sparse->OwnedCsr();
      if (owned != nullptr) {
        Append(*owned, &out);
      } else {
        Append(sparse == nullptr ? CompressDense(*part) : sparse->CopyCsr(ctx), &out);
      }
    }
    return out;
  }

 private:
  Parts parts_;
};

}  // namespace

void FailWithoutBatch() { Fail(ErrorKind::kData, "there is no batch of rows; give at least 1 batch."); }

std::unique_ptr<DataView> MakeChain(std::vector<std::unique_ptr<DataView>> parts) {
  if (parts.empty()) FailWithoutBatch();
  auto const sparse = std::any_of(parts.begin(), parts.end(),
                                  [](auto const& part) { return dynamic_cast<SparseView*>(part.get()) != nullptr; });
  Parts checked(std::move(parts));
  if (sparse) return std::make_unique<SparseChain>(std::move(checked));
  return std::make_unique<DenseChain>(std::move(checked));
}

}  // namespace kauri
