// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
internal import Glibc
internal import Positioning
internal import Synchronization
internal import SystemSupport

/// Asks NetworkManager, where it runs, what bytes cost.
///
/// Asked with each read of a path that is there, never for a loss, so that its answer is nobody's
/// to wait for when the network goes. Each question is a connection of its own: nothing is left
/// that could wake the board.
final class NetworkManager: Sendable {
  /// The one on the system's bus, or on the bus that the environment names.
  static let ofThisSystem = NetworkManager(
    address: getenv("DBUS_SYSTEM_BUS_ADDRESS").map { String(cString: $0) })

  /// How long an answer may take.
  ///
  /// It is there in one or two milliseconds.
  static let timeoutNanoseconds: UInt64 = 100_000_000
  /// For how long it is not asked again after it has let us wait in vain.
  static let silenceNanoseconds: UInt64 = 60_000_000_000

  private let address: String?
  private let timeoutNanoseconds: UInt64
  private let now: @Sendable () -> UInt64
  private let state = Mutex(State())

  private struct State {
    var silentUntil: UInt64 = 0
    var last = Metered.unknown
  }

  /// Makes a client that has asked nothing yet.
  ///
  /// - Parameters:
  ///   - address: A bus in D-Bus's notation; `nil` for the system's.
  ///   - timeoutNanoseconds: How long an answer may take.
  ///   - now: Nanoseconds of a clock that does not jump.
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

  /// What it says; ``Metered/unknown`` where it does not run.
  ///
  /// Where it does not answer in time it is what it said last: a bill does not end with that.
  func metered() -> Metered {
    // Without it there is nothing to load a library for.
    guard address != nil || access("/run/NetworkManager", F_OK) == 0 else { return .unknown }
    let known = state.withLock { $0 }
    guard known.silentUntil <= now() else { return known.last }
    let code = fixcast_network_manager_metered(address, timeoutNanoseconds / 1000)
    return state.withLock { state in
      if code == -ETIMEDOUT {
        state.silentUntil = now() &+ Self.silenceNanoseconds
      } else {
        state.last = Metered(rawValue: code) ?? .unknown
      }
      return state.last
    }
  }
}
