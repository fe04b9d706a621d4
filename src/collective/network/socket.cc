#include "collective/network/socket.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>

#include "common/platform/thread.h"
#include "common/text/quoted.h"
#include "kauri/error.h"

namespace kauri {
namespace {

#ifdef MSG_NOSIGNAL
constexpr int kNoSignal = MSG_NOSIGNAL;
#else
constexpr int kNoSignal = 0;
#endif

/// Minimum silence after which the system asks whether the other host lives, pause between questions, and their number.
constexpr int kSilenceSeconds = 20;
constexpr int kPauseSeconds = 10;
constexpr int kQuestions = 4;

void SetOption(int descriptor, int level, int option, int value) {
  setsockopt(descriptor, level, option, &value, sizeof(value));  // a system without it works more slowly
}

#ifdef SOCK_CLOEXEC
constexpr int kOwn = SOCK_CLOEXEC | SOCK_NONBLOCK;
#else
constexpr int kOwn = 0;
#endif

int AcceptOwn(int listener) {
#ifdef SOCK_CLOEXEC
  return accept4(listener, nullptr, nullptr, kOwn);
#else
  return accept(listener, nullptr, nullptr);
#endif
}

/// Makes a descriptor non-blocking and unknown to programs that this process starts, where kOwn has not done so.
void MakeOwn(int descriptor) {
  if (kOwn == 0) {
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  }
#ifdef SO_NOSIGPIPE
  SetOption(descriptor, SOL_SOCKET, SO_NOSIGPIPE, 1);
#endif
}

/// Sets the options of a connection: small messages leave at once, and a silent host that is gone is detected in about
/// a minute. There is no limit for unread bytes: a rank that computes for long reads nothing meanwhile.
void Tune(int descriptor) {
  SetOption(descriptor, IPPROTO_TCP, TCP_NODELAY, 1);
  SetOption(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1);
#ifdef TCP_KEEPIDLE
  SetOption(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, kSilenceSeconds);
#endif
#ifdef TCP_KEEPINTVL
  SetOption(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, kPauseSeconds);
  SetOption(descriptor, IPPROTO_TCP, TCP_KEEPCNT, kQuestions);
#endif
}

bool WouldBlock() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

std::string ErrorText(int number) { return std::strerror(number); }

using Addresses = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

/// Looks an address up. \throws Error(kind).
Addresses Find(Address const& address, bool listens, ErrorKind kind) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = listens ? AI_PASSIVE : 0;
  addrinfo* found = nullptr;
  auto const status = getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (status != 0) {
    Fail(kind, "the host ", Quoted(address.host), " is unknown (", gai_strerror(status),
         "); give the address of a network interface.");
  }
  return {found, freeaddrinfo};
}

std::string NumericHost(sockaddr const* address, socklen_t size) {
  std::array<char, NI_MAXHOST> text{};
  if (getnameinfo(address, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0) return "unknown";
  return text.data();
}

using NameOfSide = int (*)(int, sockaddr*, socklen_t*);

std::string HostOfSide(Socket const& connection, NameOfSide name) {
  sockaddr_storage storage{};
  socklen_t size = sizeof(storage);
  auto* const address = reinterpret_cast<sockaddr*>(&storage);
  return name(connection.Descriptor(), address, &size) == 0 ? NumericHost(address, size) : "unknown";
}

int PortOf(Socket const& listener) {
  sockaddr_storage storage{};
  socklen_t size = sizeof(storage);
  getsockname(listener.Descriptor(), reinterpret_cast<sockaddr*>(&storage), &size);
  auto const* const v6 = reinterpret_cast<sockaddr_in6 const*>(&storage);
  auto const* const v4 = reinterpret_cast<sockaddr_in const*>(&storage);
  return ntohs(storage.ss_family == AF_INET6 ? v6->sin6_port : v4->sin_port);
}

/// Waits for a connection that is being made. Returns the system's error number, 0 for none.
int FinishConnecting(Socket const& socket, Deadline deadline, std::function<void()> const& check) {
  constexpr double kSlice = 0.2;
  while (SteadyClock::now() < deadline) {
    std::vector<pollfd> waits{{socket.Descriptor(), POLLOUT, 0}};
    if (WaitForAny(&waits, std::min(deadline, SecondsFromNow(kSlice)))) {
      int error = 0;
      socklen_t size = sizeof(error);
      getsockopt(socket.Descriptor(), SOL_SOCKET, SO_ERROR, &error, &size);
      return error;
    }
    check();
  }
  return ETIMEDOUT;
}

/// The descriptors of open sockets, a bit each. Later ones than the last bit stay open in a copy of this process.
constexpr int kWordBits = 64;
std::array<std::atomic<std::uint64_t>, 1024> g_open;

void Mark(int descriptor, bool is_open) {
  auto const word = static_cast<std::size_t>(descriptor / kWordBits);
  if (word >= g_open.size()) return;
  auto const bit = std::uint64_t{1} << (descriptor % kWordBits);
  if (is_open) {
    g_open[word].fetch_or(bit);
  } else {
    g_open[word].fetch_and(~bit);
  }
}

/// Puts an unconnected socket in the place of each open one, in a copy of this process that fork() made. The numbers
/// stay taken, because the copies of the owners close them.
void Disconnect() {
  auto unconnected = -1;
  for (std::size_t word = 0; word < g_open.size(); ++word) {
    auto const bits = g_open[word].load();
    for (int bit = 0; bit < kWordBits && bits != 0; ++bit) {
      if ((bits >> bit & 1U) == 0) continue;
      if (unconnected < 0) unconnected = socket(AF_UNIX, SOCK_STREAM, 0);
      if (unconnected < 0) return;
      auto const descriptor = static_cast<int>(word) * kWordBits + bit;
      dup2(unconnected, descriptor);
      fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    }
  }
  if (unconnected >= 0) close(unconnected);
}

}  // namespace

Socket::Socket(int descriptor) : descriptor_(descriptor) {
  static auto const is_registered = platform::AtFork(Disconnect) == 0;
  if (IsOpen() && is_registered) Mark(descriptor, true);
}

void Socket::Close() {
  if (!IsOpen()) return;
  Mark(descriptor_, false);
  close(std::exchange(descriptor_, -1));
}

void Socket::ShutDown() const { shutdown(descriptor_, SHUT_RDWR); }

std::ptrdiff_t Socket::Send(void const* data, std::size_t n_bytes) const {
  auto const n_sent = send(descriptor_, data, n_bytes, kNoSignal);
  return n_sent >= 0 ? n_sent : WouldBlock() ? 0 : -1;
}

std::ptrdiff_t Socket::Receive(void* data, std::size_t n_bytes) const {
  auto const n_received = recv(descriptor_, data, n_bytes, 0);
  return n_received > 0 ? n_received : n_received < 0 && WouldBlock() ? 0 : -1;
}

Socket Socket::Accept(bool* is_full) const {
  Socket accepted(AcceptOwn(descriptor_));
  *is_full = !accepted.IsOpen() && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM);
  if (accepted.IsOpen()) {
    MakeOwn(accepted.Descriptor());
    Tune(accepted.Descriptor());
  }
  return accepted;
}

std::string TextOf(Address const& address) { return address.host + ":" + std::to_string(address.port); }

Socket ListenAt(Address* address) {
  auto const found = Find(*address, true, ErrorKind::kIo);
  auto error = 0;
  for (auto const* each = found.get(); each != nullptr; each = each->ai_next) {
    Socket listener(socket(each->ai_family, each->ai_socktype | kOwn, each->ai_protocol));
    if (listener.IsOpen()) {
      MakeOwn(listener.Descriptor());
      SetOption(listener.Descriptor(), SOL_SOCKET, SO_REUSEADDR, 1);
      if (bind(listener.Descriptor(), each->ai_addr, each->ai_addrlen) == 0 &&
          listen(listener.Descriptor(), SOMAXCONN) == 0) {
        address->port = PortOf(listener);
        return listener;
      }
    }
    error = errno;
  }
  Fail(ErrorKind::kIo, "Failed to bind socket: ", TextOf(*address), " cannot be listened at (", ErrorText(error),
       "); give an address of this host and a free port, or port 0.");
}

Socket ConnectTo(Address const& address, Deadline deadline, std::function<void()> const& check) {
  auto const found = Find(address, false, ErrorKind::kCollective);
  auto error = 0;
  for (auto const* each = found.get(); each != nullptr; each = each->ai_next) {
    Socket connection(socket(each->ai_family, each->ai_socktype | kOwn, each->ai_protocol));
    error = errno;
    if (!connection.IsOpen()) continue;
    MakeOwn(connection.Descriptor());
    Tune(connection.Descriptor());
    auto const status = connect(connection.Descriptor(), each->ai_addr, each->ai_addrlen);
    error = status == 0                              ? 0
            : errno == EINPROGRESS || errno == EINTR ? FinishConnecting(connection, deadline, check)
                                                     : errno;
    if (error == 0) return connection;
  }
  Fail(ErrorKind::kCollective, "there is no connection to ", TextOf(address), " (", ErrorText(error), ")");
}

std::string OwnHost(Socket const& connection) { return HostOfSide(connection, getsockname); }

std::string OtherHost(Socket const& connection) { return HostOfSide(connection, getpeername); }

std::string LikelyHost() {
  // A datagram socket chooses the interface of the default route; nothing is sent.
  Socket probe(socket(AF_INET, SOCK_DGRAM | kOwn, 0));
  sockaddr_in anywhere{};
  anywhere.sin_family = AF_INET;
  anywhere.sin_port = htons(1);
  anywhere.sin_addr.s_addr = htonl(0x0AFFFFFFU);  // 10.255.255.255
  auto const* const address = reinterpret_cast<sockaddr const*>(&anywhere);
  auto const is_routed = probe.IsOpen() && connect(probe.Descriptor(), address, sizeof(anywhere)) == 0;
  return is_routed ? OwnHost(probe) : "127.0.0.1";
}

std::pair<Socket, Socket> ConnectedPair() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | kOwn, 0, ends.data()) != 0) {
    Fail(ErrorKind::kIo, "the system gives no more sockets (", ErrorText(errno),
         "); close files, or raise the limit of open files.");
  }
  for (auto const end : ends) MakeOwn(end);
  return {Socket(ends[0]), Socket(ends[1])};
}

bool WaitForAny(std::vector<pollfd>* sockets, Deadline deadline) {
  constexpr std::int64_t kLongest = 60000;
  for (;;) {
    auto const left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - SteadyClock::now()).count() + 1;
    auto const ms = static_cast<int>(std::clamp<std::int64_t>(left, 0, kLongest));
    if (poll(sockets->data(), sockets->size(), ms) > 0) return true;
    if (SteadyClock::now() >= deadline) return false;
  }
}

}  // namespace kauri
