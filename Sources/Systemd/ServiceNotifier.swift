// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Tells the service manager what it has to know, where there is one.
///
/// Every call returns at once. A message that cannot be delivered is an error to be logged, and no
/// reason to end.
///
/// Source: sd_notify(3).
public struct ServiceNotifier: Sendable {
  private let socket: UnixDatagramSocket?
  /// How often the manager wants to hear that the service is alive; `nil` where it does not.
  public let watchdogInterval: Duration?

  /// Makes a notifier from what the service manager put into the environment.
  ///
  /// - Parameters:
  ///   - environment: The value of a variable, `nil` where it is not set.
  ///   - processID: The process that speaks, this one where `nil`; a watchdog meant for another is
  ///     none for it.
  public init(
    environment: (String) -> String? = ServiceNotifier.environment, processID: Int32? = nil
  ) {
    // Relative paths mean nothing here; vsock is for machines as a whole.
    let address = environment("NOTIFY_SOCKET").flatMap {
      $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil
    }
    socket = address.map { UnixDatagramSocket(address: $0) }
    watchdogInterval = Self.watchdogInterval(environment, processID ?? getpid())
  }

  /// Whether there is somebody to tell.
  public var isNotifying: Bool { socket != nil }

  /// Tells all of it in one message.
  ///
  /// - Parameter states: What is to be told.
  /// - Throws: ``DatagramError`` where the manager does not take it. Nobody to tell is no error.
  public func notify(_ states: ServiceState...) throws(DatagramError) {
    guard let socket else { return }
    let text = states.map(\.assignment).joined(separator: "\n")
    try socket.send(Array(text.utf8))
  }

  /// The value of an environment variable of this process.
  ///
  /// - Parameter name: Its name.
  /// - Returns: `nil` where it is not set.
  public static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  private static func watchdogInterval(
    _ environment: (String) -> String?, _ processID: Int32
  ) -> Duration? {
    guard let text = environment("WATCHDOG_USEC"), let microseconds = Int64(text),
      microseconds > 0
    else { return nil }
    if let owner = environment("WATCHDOG_PID"), Int32(owner) != processID { return nil }
    return .microseconds(microseconds)
  }
}
