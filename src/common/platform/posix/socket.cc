#include "common/platform/socket.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <memory>
#include <system_error>

#include "common/platform/thread.h"

namespace kauri::platform {
namespace {

#ifdef MSG_NOSIGNAL
constexpr int kNoSignal = MSG_NOSIGNAL;
#else
constexpr int kNoSignal = 0;
#endif

#ifdef TCP_KEEPIDLE
constexpr int kSilenceOption = TCP_KEEPIDLE;
#else
constexpr int kSilenceOption = TCP_KEEPALIVE;  // macOS
#endif

/// Minimum silence after which the system asks whether the other host lives, pause between questions, and their number.
constexpr int kSilenceSeconds = 20;
constexpr int kPauseSeconds = 10;
constexpr int kQuestions = 4;

int NumberOf(SocketHandle socket) { return static_cast<int>(socket); }

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
  SetOption(descriptor, IPPROTO_TCP, kSilenceOption, kSilenceSeconds);
#ifdef TCP_KEEPINTVL
  SetOption(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, kPauseSeconds);
  SetOption(descriptor, IPPROTO_TCP, TCP_KEEPCNT, kQuestions);
#endif
}

bool WouldBlock() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

std::string NumericHost(sockaddr const* address, socklen_t size) {
  std::array<char, NI_MAXHOST> text{};
  if (getnameinfo(address, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0) return "unknown";
  return text.data();
}

using NameOfSide = int (*)(int, sockaddr*, socklen_t*);

std::string HostOfSide(SocketHandle connection, NameOfSide name) {
  sockaddr_storage storage{};
  socklen_t size = sizeof(storage);
  auto* const address = reinterpret_cast<sockaddr*>(&storage);
  return name(NumberOf(connection), address, &size) == 0 ? NumericHost(address, size) : "unknown";
}

int PortOf(int listener) {
  sockaddr_storage storage{};
  socklen_t size = sizeof(storage);
  getsockname(listener, reinterpret_cast<sockaddr*>(&storage), &size);
  auto const* const v6 = reinterpret_cast<sockaddr_in6 const*>(&storage);
  auto const* const v4 = reinterpret_cast<sockaddr_in const*>(&storage);
  return ntohs(storage.ss_family == AF_INET6 ? v6->sin6_port : v4->sin_port);
}

sockaddr const* SystemForm(SocketAddress const& address) {
  return reinterpret_cast<sockaddr const*>(address.bytes.data());
}

socklen_t SizeOf(SocketAddress const& address) { return static_cast<socklen_t>(address.bytes.size()); }

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

std::string SocketErrorText(int error) { return std::generic_category().message(error); }

bool FindAddresses(std::string const& host, int port, bool is_listener, std::vector<SocketAddress>* found,
                   std::string* problem) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = is_listener ? AI_PASSIVE : 0;
  addrinfo* first = nullptr;
  auto const status = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &first);
  if (status != 0) {
    *problem = gai_strerror(status);
    return false;
  }
  std::unique_ptr<addrinfo, void (*)(addrinfo*)> const all(first, freeaddrinfo);
  for (auto const* each = all.get(); each != nullptr; each = each->ai_next) {
    found->push_back({each->ai_family, {reinterpret_cast<char const*>(each->ai_addr), each->ai_addrlen}});
  }
  return true;
}

SocketHandle ListenAtAddress(SocketAddress const& address, int* port, int* error) {
  auto const listener = socket(address.family, SOCK_STREAM | kOwn, 0);
  *error = errno;
  if (listener < 0) return kNoSocket;
  MakeOwn(listener);
  SetOption(listener, SOL_SOCKET, SO_REUSEADDR, 1);
  if (bind(listener, SystemForm(address), SizeOf(address)) == 0 && listen(listener, SOMAXCONN) == 0) {
    *port = PortOf(listener);
    return listener;
  }
  *error = errno;
  close(listener);
  return kNoSocket;
}

SocketHandle StartConnecting(SocketAddress const& address, bool* is_pending, int* error) {
  auto const connection = socket(address.family, SOCK_STREAM | kOwn, 0);
  *error = errno;
  if (connection < 0) return kNoSocket;
  MakeOwn(connection);
  Tune(connection);
  auto const is_made = connect(connection, SystemForm(address), SizeOf(address)) == 0;
  *error = is_made ? 0 : errno;
  *is_pending = *error == EINPROGRESS || *error == EINTR;
  if (is_made || *is_pending) return connection;
  close(connection);
  return kNoSocket;
}

int ErrorOfConnecting(SocketHandle socket) {
  int error = 0;
  socklen_t size = sizeof(error);
  return getsockopt(NumberOf(socket), SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

int TimeoutError() { return ETIMEDOUT; }

SocketHandle AcceptConnection(SocketHandle listener, bool* is_full) {
  auto const accepted = AcceptOwn(NumberOf(listener));
  *is_full = accepted < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM);
  if (accepted < 0) return kNoSocket;
  MakeOwn(accepted);
  Tune(accepted);
  return accepted;
}

std::ptrdiff_t SendBytes(SocketHandle socket, void const* data, std::size_t n_bytes) {
  auto const n_sent = send(NumberOf(socket), data, n_bytes, kNoSignal);
  return n_sent >= 0 ? n_sent : WouldBlock() ? 0 : -1;
}

std::ptrdiff_t ReceiveBytes(SocketHandle socket, void* data, std::size_t n_bytes) {
  auto const n_received = recv(NumberOf(socket), data, n_bytes, 0);
  return n_received > 0 ? n_received : n_received < 0 && WouldBlock() ? 0 : -1;
}

void ShutDownSocket(SocketHandle socket) { shutdown(NumberOf(socket), SHUT_RDWR); }

void CloseSocket(SocketHandle socket) {
  Mark(NumberOf(socket), false);
  close(NumberOf(socket));
}

void LoseInFork(SocketHandle socket) {
  static auto const is_registered = AtFork(Disconnect) == 0;
  if (is_registered) Mark(NumberOf(socket), true);
}

std::string OwnHostOf(SocketHandle connection) { return HostOfSide(connection, getsockname); }

std::string OtherHostOf(SocketHandle connection) { return HostOfSide(connection, getpeername); }

std::string LikelyHostAddress() {
  // A datagram socket chooses the interface of the default route; nothing is sent.
  auto const probe = socket(AF_INET, SOCK_DGRAM | kOwn, 0);
  if (probe < 0) return "127.0.0.1";
  sockaddr_in anywhere{};
  anywhere.sin_family = AF_INET;
  anywhere.sin_port = htons(1);
  anywhere.sin_addr.s_addr = htonl(0x0AFFFFFFU);  // 10.255.255.255
  auto const* const address = reinterpret_cast<sockaddr const*>(&anywhere);
  auto host = connect(probe, address, sizeof(anywhere)) == 0 ? OwnHostOf(probe) : "127.0.0.1";
  close(probe);
  return host;
}

int ConnectPair(std::array<SocketHandle, 2>* ends) {
  std::array<int, 2> pair{};
  if (socketpair(AF_UNIX, SOCK_STREAM | kOwn, 0, pair.data()) != 0) return errno;
  for (auto const end : pair) MakeOwn(end);
  *ends = {pair[0], pair[1]};
  return 0;
}

int WaitForSockets(std::vector<SocketWait>* waits, int milliseconds) {
  std::vector<pollfd> system_waits;
  for (auto const& each : *waits) {
    auto const events = (each.reads ? POLLIN : 0) | (each.writes ? POLLOUT : 0);
    system_waits.push_back({NumberOf(each.socket), static_cast<short>(events), 0});
  }
  auto const n_ready = poll(system_waits.data(), system_waits.size(), milliseconds);
  for (std::size_t i = 0; i < waits->size(); ++i) (*waits)[i].is_ready = n_ready > 0 && system_waits[i].revents != 0;
  return std::max(n_ready, 0);
}

}  // namespace kauri::platform
