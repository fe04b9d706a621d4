#include "collective/reduce.h"

#include "kauri/error.h"

namespace kauri {

void FailParcel(std::string const& what) {
  Fail(ErrorKind::kCollective, "a message between ranks is damaged: ", what,
       "; run the same version of Kauri on all ranks, and check that the transport delivers every byte unchanged");
}

void Parcel::AddBytes(void const* data, std::size_t size) {
  auto const before = bytes_.size();
  auto const length = static_cast<std::uint64_t>(size);
  bytes_.resize(before + sizeof(length) + size);
  std::memcpy(bytes_.data() + before, &length, sizeof(length));
  if (size > 0) std::memcpy(bytes_.data() + before + sizeof(length), data, size);
}

std::size_t OpenParcel::NextSize(std::size_t value_size) {
  std::uint64_t size = 0;
  auto const left = bytes_.size() - cursor_;
  if (left >= sizeof(size)) {
    std::memcpy(&size, bytes_.data() + cursor_, sizeof(size));
    if (size <= left - sizeof(size) && size % value_size == 0) {
      cursor_ += sizeof(size);
      return static_cast<std::size_t>(size);
    }
  }
  FailParcel(std::to_string(left) + " bytes are left for an array whose announced size is " + std::to_string(size));
}

std::vector<OpenParcel> GatherParcels(Context const& ctx, Parcel const& mine) {
  std::vector<OpenParcel> parcels;
  for (auto& bytes : ctx.collective->Gather(mine.Bytes())) parcels.emplace_back(std::move(bytes));
  return parcels;
}

}  // namespace kauri
