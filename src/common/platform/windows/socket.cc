#include "common/platform/socket.h"

#include <winsock2.h>
#include <ws2tcpip.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "common/platform/windows/errors.h"

namespace kauri::platform {
namespace {

/// Minimum silence after which the system asks whether the other host lives, pause between questions, and their number.
constexpr int kSilenceSeconds = 20;
constexpr int kPauseSeconds = 10;
constexpr int kQuestions = 4;

SOCKET NumberOf(SocketHandle socket) { return static_cast<SOCKET>(socket); }

/// Returns a socket's number, which is never so large that it would be negative here.
SocketHandle OursOf(SOCKET socket) { return socket == INVALID_SOCKET ? kNoSocket : static_cast<SocketHandle>(socket); }

/// Starts the sockets of this process, which its end stops. \returns an error or 0.
int Start() {
  static auto const error = [] {
    WSADATA about;
    return WSAStartup(MAKEWORD(2, 2), &about);
  }();
  return error;
}

void SetOption(SOCKET socket, int level, int option, int value) {
  setsockopt(socket, level, option, reinterpret_cast<char const*>(&value), sizeof(value));
}

/// Opens a socket that programs which this process starts do not inherit; INVALID_SOCKET with *error set.
SOCKET OpenSocket(int family, int type, int* error) {
  *error = Start();
  if (*error != 0) return INVALID_SOCKET;
  constexpr DWORD kHow = WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT;
  auto const opened = WSASocketW(family, type, 0, nullptr, 0, kHow);
  *error = opened == INVALID_SOCKET ? WSAGetLastError() : 0;
  return opened;
}

void StopBlocking(SOCKET socket) {
  u_long yes = 1;
  ioctlsocket(socket, static_cast<int>(FIONBIO), &yes);
}

/// Sets the options of a connection, as on POSIX systems.
void Tune(SOCKET socket) {
  SetOption(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  SetOption(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
#ifdef TCP_KEEPIDLE
  SetOption(socket, IPPROTO_TCP, TCP_KEEPIDLE, kSilenceSeconds);
  SetOption(socket, IPPROTO_TCP, TCP_KEEPINTVL, kPauseSeconds);
  SetOption(socket, IPPROTO_TCP, TCP_KEEPCNT, kQuestions);
#endif
}

bool WouldBlock() { return WSAGetLastError() == WSAEWOULDBLOCK; }

/// Returns a number of bytes that one call can take.
int AtOnce(std::size_t n_bytes) { return static_cast<int>(std::min<std::size_t>(n_bytes, 1U << 30U)); }

std::string NumericHost(sockaddr const* address, socklen_t size) {
  std::array<char, NI_MAXHOST> text{};
  auto const n_bytes = static_cast<DWORD>(text.size());
  return getnameinfo(address, size, text.data(), n_bytes, nullptr, 0, NI_NUMERICHOST) == 0 ? text.data() : "unknown";
}

using NameOfSide = int(WSAAPI*)(SOCKET, sockaddr*, int*);

std::string HostOfSide(SOCKET connection, NameOfSide name) {
  sockaddr_storage storage{};
  int size = sizeof(storage);
  auto* const address = reinterpret_cast<sockaddr*>(&storage);
  return name(connection, address, &size) == 0 ? NumericHost(address, size) : "unknown";
}

int PortOf(SOCKET listener) {
  sockaddr_storage storage{};
  int size = sizeof(storage);
  getsockname(listener, reinterpret_cast<sockaddr*>(&storage), &size);
  auto const* const v6 = reinterpret_cast<sockaddr_in6 const*>(&storage);
  auto const* const v4 = reinterpret_cast<sockaddr_in const*>(&storage);
  return ntohs(storage.ss_family == AF_INET6 ? v6->sin6_port : v4->sin_port);
}

sockaddr const* SystemForm(SocketAddress const& address) {
  return reinterpret_cast<sockaddr const*>(address.bytes.data());
}

int SizeOf(SocketAddress const& address) { return static_cast<int>(address.bytes.size()); }

sockaddr_in Version4(std::uint32_t host, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(host);
  return address;
}

/// Closes a socket at the end of a scope, unless it is taken.
class Scoped {
 public:
  explicit Scoped(SOCKET socket) : socket_(socket) {}
  ~Scoped() {
    if (socket_ != INVALID_SOCKET) closesocket(socket_);
  }
  Scoped(Scoped const&) = delete;
  Scoped& operator=(Scoped const&) = delete;
  SOCKET Get() const { return socket_; }
  SocketHandle Take() { return OursOf(std::exchange(socket_, INVALID_SOCKET)); }

 private:
  SOCKET socket_;
};

}  // namespace

std::string SocketErrorText(int error) { return MessageOf(static_cast<unsigned long>(error)); }

bool FindAddresses(std::string const& host, int port, bool is_listener, std::vector<SocketAddress>* found,
                   std::string* problem) {
  ADDRINFOW hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = is_listener ? AI_PASSIVE : 0;
  ADDRINFOW* first = nullptr;
  auto const not_started = Start();
  auto const status =
      not_started != 0 ? not_started : GetAddrInfoW(Wide(host).c_str(), std::to_wstring(port).c_str(), &hints, &first);
  if (status != 0) {
    *problem = SocketErrorText(status);
    return false;
  }
  std::unique_ptr<ADDRINFOW, void(WSAAPI*)(ADDRINFOW*)> const all(first, FreeAddrInfoW);
  for (auto const* each = all.get(); each != nullptr; each = each->ai_next) {
    found->push_back({each->ai_family, {reinterpret_cast<char const*>(each->ai_addr), each->ai_addrlen}});
  }
  return true;
}

SocketHandle ListenAtAddress(SocketAddress const& address, int* port, int* error) {
  Scoped listener(OpenSocket(address.family, SOCK_STREAM, error));
  if (listener.Get() == INVALID_SOCKET) return kNoSocket;
  StopBlocking(listener.Get());
  // With SO_REUSEADDR another process could take the port over here.
  SetOption(listener.Get(), SOL_SOCKET, SO_EXCLUSIVEADDRUSE, 1);
  if (bind(listener.Get(), SystemForm(address), SizeOf(address)) == 0 && listen(listener.Get(), SOMAXCONN) == 0) {
    *port = PortOf(listener.Get());
    return listener.Take();
  }
  *error = WSAGetLastError();
  return kNoSocket;
}

SocketHandle StartConnecting(SocketAddress const& address, bool* is_pending, int* error) {
  Scoped connection(OpenSocket(address.family, SOCK_STREAM, error));
  if (connection.Get() == INVALID_SOCKET) return kNoSocket;
  StopBlocking(connection.Get());
  Tune(connection.Get());
  auto const is_made = connect(connection.Get(), SystemForm(address), SizeOf(address)) == 0;
  *error = is_made ? 0 : WSAGetLastError();
  *is_pending = *error == WSAEWOULDBLOCK;
  return is_made || *is_pending ? connection.Take() : kNoSocket;
}

int ErrorOfConnecting(SocketHandle socket) {
  int error = 0;
  int size = sizeof(error);
  auto const status = getsockopt(NumberOf(socket), SOL_SOCKET, SO_ERROR, reinterpret_cast<char*>(&error), &size);
  return status == 0 ? error : WSAGetLastError();
}

int TimeoutError() { return WSAETIMEDOUT; }

SocketHandle AcceptConnection(SocketHandle listener, bool* is_full) {
  auto const accepted = accept(NumberOf(listener), nullptr, nullptr);
  auto const error = accepted == INVALID_SOCKET ? WSAGetLastError() : 0;
  *is_full = error == WSAEMFILE || error == WSAENOBUFS;
  if (accepted == INVALID_SOCKET) return kNoSocket;
  SetHandleInformation(reinterpret_cast<HANDLE>(accepted), HANDLE_FLAG_INHERIT, 0);
  StopBlocking(accepted);
  Tune(accepted);
  return OursOf(accepted);
}

std::ptrdiff_t SendBytes(SocketHandle socket, void const* data, std::size_t n_bytes) {
  auto const n_sent = send(NumberOf(socket), static_cast<char const*>(data), AtOnce(n_bytes), 0);
  return n_sent >= 0 ? n_sent : WouldBlock() ? 0 : -1;
}

std::ptrdiff_t ReceiveBytes(SocketHandle socket, void* data, std::size_t n_bytes) {
  auto const n_received = recv(NumberOf(socket), static_cast<char*>(data), AtOnce(n_bytes), 0);
  return n_received > 0 ? n_received : n_received < 0 && WouldBlock() ? 0 : -1;
}

void ShutDownSocket(SocketHandle socket) { shutdown(NumberOf(socket), SD_BOTH); }

void CloseSocket(SocketHandle socket) { closesocket(NumberOf(socket)); }

/// No process is copied here.
void LoseInFork(SocketHandle /*socket*/) {}

std::string OwnHostOf(SocketHandle connection) { return HostOfSide(NumberOf(connection), getsockname); }

std::string OtherHostOf(SocketHandle connection) { return HostOfSide(NumberOf(connection), getpeername); }

std::string LikelyHostAddress() {
  int error = 0;
  Scoped const probe(OpenSocket(AF_INET, SOCK_DGRAM, &error));
  // A datagram socket chooses the interface of the default route; nothing is sent.
  auto const anywhere = Version4(0x0AFFFFFFU, 1);  // 10.255.255.255
  auto const* const address = reinterpret_cast<sockaddr const*>(&anywhere);
  auto const is_routed = probe.Get() != INVALID_SOCKET && connect(probe.Get(), address, sizeof(anywhere)) == 0;
  return is_routed ? HostOfSide(probe.Get(), getsockname) : "127.0.0.1";
}

/// The system has no pairs, so one end connects to the other by the address of this host. A stranger could come in
/// between; the port of the accepted connection tells.
int ConnectPair(std::array<SocketHandle, 2>* ends) {
  int error = 0;
  Scoped const listener(OpenSocket(AF_INET, SOCK_STREAM, &error));
  if (error != 0) return error;
  auto here = Version4(INADDR_LOOPBACK, 0);
  auto* const address = reinterpret_cast<sockaddr*>(&here);
  Scoped first(OpenSocket(AF_INET, SOCK_STREAM, &error));
  if (error != 0) return error;
  if (bind(listener.Get(), address, sizeof(here)) != 0 || listen(listener.Get(), SOMAXCONN) != 0)
    return WSAGetLastError();
  here.sin_port = htons(static_cast<std::uint16_t>(PortOf(listener.Get())));
  if (connect(first.Get(), address, sizeof(here)) != 0) return WSAGetLastError();
  for (;;) {
    sockaddr_in from{};
    int size = sizeof(from);
    Scoped second(accept(listener.Get(), reinterpret_cast<sockaddr*>(&from), &size));
    if (second.Get() == INVALID_SOCKET) return WSAGetLastError();
    if (ntohs(from.sin_port) != PortOf(first.Get())) continue;
    for (auto const socket : {first.Get(), second.Get()}) {
      StopBlocking(socket);
      Tune(socket);
    }
    SetHandleInformation(reinterpret_cast<HANDLE>(second.Get()), HANDLE_FLAG_INHERIT, 0);
    *ends = {first.Take(), second.Take()};
    return 0;
  }
}

int WaitForSockets(std::vector<SocketWait>* waits, int milliseconds) {
  std::vector<WSAPOLLFD> system_waits;
  for (auto const& each : *waits) {
    auto const events = (each.reads ? POLLIN : 0) | (each.writes ? POLLOUT : 0);
    system_waits.push_back({NumberOf(each.socket), static_cast<SHORT>(events), 0});
  }
  auto const n_ready = WSAPoll(system_waits.data(), static_cast<ULONG>(system_waits.size()), milliseconds);
  for (std::size_t i = 0; i < waits->size(); ++i) {
    auto& each = (*waits)[i];
    each.is_ready = n_ready > 0 && each.socket != kNoSocket && system_waits[i].revents != 0;
  }
  if (n_ready < 0) Sleep(1);  // no socket is open; the caller looks at its clock
  return std::max(n_ready, 0);
}

}  // namespace kauri::platform
