// SPDX-License-Identifier: Apache-2.0

package import FixcastConfiguration
internal import Glibc
package import Pipeline
package import Positioning
internal import SystemSupport

/// Sends the receiver's time to chronyd, at most once per second of that time.
///
/// Needs locations with full accuracy. Sends nothing for simulated and replayed locations, and for
/// locations whose date is not certain.
package actor ChronySink: Sink {
  private static let path = SettingKey.path(
    "path", default: "/run/chrony.fixcast.sock",
    summary: "socket of a refclock SOCK in chrony's configuration")

  /// The plugin's entry in the catalogue.
  package static let plugin = Plugin.sink(
    "chrony", "the receiver's time, for chronyd", [path.declaration], mailbox: .keepNewest,
    makeFilter: { _ in { $0 is LocationEvent } },
    make: { settings, context throws(SettingsError) in
      ChronySink(
        name: context.name ?? "chrony", path: try settings.value(of: path), now: context.now,
        // The time in the context is corrected by the receiver.
        systemTime: SystemClock.utcNow)
    })

  /// Returns the path in the settings; `nil` if the settings are invalid.
  package static func socketPath(_ settings: SettingsTable) -> String? {
    try? settings.value(of: path)
  }

  /// The name in reports and in the status.
  package nonisolated let name: String
  private let socket: UnixDatagramSocket
  private let now: @Sendable () -> MonotonicTime
  private let systemTime: @Sendable () -> UTCTime
  /// The second of the last sample, by the receiver.
  private var lastSecond: Int64?

  /// Creates a sink without opening its socket.
  ///
  /// - Parameters:
  ///   - name: The name in reports and in the status.
  ///   - path: The path of chronyd's socket.
  ///   - now: Returns the current time of the clock that timestamps received locations.
  ///   - systemTime: Returns the time of the system clock, not corrected by a receiver.
  package init(
    name: String = "chrony", path: String, now: @escaping @Sendable () -> MonotonicTime,
    systemTime: @escaping @Sendable () -> UTCTime
  ) {
    self.name = name
    self.now = now
    self.systemTime = systemTime
    socket = UnixDatagramSocket(address: path)
  }

  /// Sends the time of a location; ignores other events.
  package func receive(_ event: any PipelineEvent) async throws {
    guard let location = (event as? LocationEvent)?.location,
      location.time?.secondsSince1970 != lastSecond,
      let sample = ChronySample(location, now: now(), systemTime: systemTime())
    else { return }
    do throws(DatagramError) {
      try socket.send(sample.bytes)
    } catch {
      throw PluginError(.transient(), error.address, why: Self.reason(error))
    }
    lastSecond = location.time?.secondsSince1970
  }

  static func reason(_ error: DatagramError) -> String {
    let text = SystemCallFailure.text(for: error.number)
    return switch error.number {
    case ENOENT, ECONNREFUSED:
      "\(text); chronyd is not running, or its configuration has no refclock SOCK with this path"
    // chronyd creates the socket as root, so that only root may write to it.
    case EACCES:
      "\(text); run: sudo sh -c 'chgrp fixcast \(error.address) && chmod g+w \(error.address)'   "
        + "(until chronyd restarts; for the permanent setting: fixcast doctor)"
    default: text
    }
  }
}
