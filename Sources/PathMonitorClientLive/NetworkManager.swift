// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
internal import Glibc
internal import Positioning
internal import Synchronization
internal import SystemSupport

/// A client that asks NetworkManager, if it is running, whether the default route is metered.
///
/// NetworkManager is queried with each read of a satisfied path, but not for other paths, so that a
/// loss is reported without delay. Each query uses a new connection, because incoming
/// messages on an open connection could wake the board.
final class NetworkManager: Sendable {
  /// The client for the system bus, or for the bus in `DBUS_SYSTEM_BUS_ADDRESS`.
  static let ofThisSystem = NetworkManager(
    address: getenv("DBUS_SYSTEM_BUS_ADDRESS").map { String(cString: $0) })

  /// The timeout of a query; a reply usually takes one or two milliseconds.
  static let timeoutNanoseconds: UInt64 = 100_000_000
  /// The delay before the next query after a timeout.
  static let retryNanoseconds: UInt64 = 60_000_000_000

  private let address: String?
  private let timeoutNanoseconds: UInt64
  private let now: @Sendable () -> UInt64
  private let state = Mutex(State())

  private struct State {
    var retryTime: UInt64 = 0
    var last = Metered.unknown
  }

  /// Makes a client.
  ///
  /// - Parameters:
  ///   - address: A bus address in D-Bus notation; `nil` for the system bus.
  ///   - timeoutNanoseconds: The timeout of a query.
  ///   - now: A monotonic clock in nanoseconds.
  init(
    address: String? = nil, timeoutNanoseconds: UInt64 = NetworkManager.timeoutNanoseconds,
    now: @escaping @Sendable () -> UInt64 = {
      UInt64(clamping: MonotonicTime.now().nanoseconds)
    }
  ) {
    self.address = address
    self.timeoutNanoseconds = timeoutNanoseconds
    self.now = now
  }

  /// Queries NetworkManager; returns ``Metered/unknown`` if NetworkManager is not running.
  ///
  /// After a timeout, returns the previous result.
  func metered() -> Metered {
    // Avoids loading the D-Bus library if NetworkManager is not running.
    guard address != nil || access("/run/NetworkManager", F_OK) == 0 else { return .unknown }
    let previous = state.withLock { $0 }
    guard previous.retryTime <= now() else { return previous.last }
    let code = fixcast_network_manager_metered(address, timeoutNanoseconds / 1000)
    return state.withLock { state in
      if code == -ETIMEDOUT {
        state.retryTime = now() &+ Self.retryNanoseconds
      } else {
        state.last = Metered(rawValue: code) ?? .unknown
      }
      return state.last
    }
  }
}
