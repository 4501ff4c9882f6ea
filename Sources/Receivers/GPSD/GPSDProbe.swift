// SPDX-License-Identifier: Apache-2.0

import Glibc
import Positioning
internal import SystemSupport

/// Checks whether gpsd is running on this host, without causing gpsd to open a receiver.
///
/// Takes at most two seconds each for 127.0.0.1 and ::1, and returns at once if the port is closed.
public struct GPSDProbe: Sendable {
  /// The TCP port to probe.
  public let port: UInt16

  private static let connectNanoseconds: Int64 = 1_000_000_000
  private static let greetingNanoseconds: Int64 = 1_000_000_000
  /// The delay before the version is requested.
  ///
  /// gpsd sends its greeting at once; some other servers send nothing before a request.
  private static let versionRequestNanoseconds: Int64 = 500_000_000

  /// Makes a probe of a port.
  public init(port: UInt16 = GPSDAddress.defaultPort) { self.port = port }

  /// Probes both loopback addresses; blocks the thread.
  ///
  /// - Returns: The gpsd on either address; without a gpsd, the first other listener; without any
  ///   listener, ``GPSDPresence/absent``.
  public func presence() -> GPSDPresence {
    var firstListener = GPSDPresence.absent
    for host in ["127.0.0.1", "::1"] {
      guard let address = GPSDAddress(host: host, port: port) else { continue }
      let presence = Self.probe(address)
      if presence.isGPSD { return presence }
      if firstListener == .absent { firstListener = presence }
    }
    return firstListener
  }

  private static func probe(_ address: GPSDAddress) -> GPSDPresence {
    do throws(GPSDConnectionError) {
      let connector = GPSDConnector(timeoutNanoseconds: connectNanoseconds)
      let socket = try connector.connect(to: try SocketAddress.resolve(address))
      guard let socket else { return .absent }
      return identify(try LibGPS(adopting: socket))
    } catch {
      if case .noAnswer = error { return .other(.acceptsNoConnection) }
      return .absent
    }
  }

  private static func identify(_ connection: borrowing LibGPS) -> GPSDPresence {
    let began = MonotonicTime.now()
    let end = began.advanced(byNanoseconds: greetingNanoseconds)
    let versionRequestAt = began.advanced(byNanoseconds: versionRequestNanoseconds)
    var (hasRequestedVersion, release) = (false, String?.none)
    while true {
      let now = MonotonicTime.now()
      guard now < end else { break }
      switch connection.next() {
      case .report(.version(_, _, _, isFixcast: true)): return .other(.isFixcast)
      case .report(.version(let name, let major, _, _)) where release == nil:
        guard major == GPSDSession.protocolMajor else {
          return .other(.speaksProtocol(major, release: name))
        }
        release = name
        send("?DEVICES;\r\n", on: connection.descriptor)
      case .report(.devices(let list, _)):
        if let release { return .gpsd(release: release, devices: list.map(\.name)) }
      case .report(.malformed(let received)) where release == nil:
        return .other(.says(GPSDConnectionError.excerpt(of: received)))
      case .report: break
      case .lost:
        return release.map { .gpsd(release: $0, devices: nil) } ?? .other(.closesConnection)
      case .nothing:
        if release == nil, !hasRequestedVersion, now >= versionRequestAt {
          hasRequestedVersion = true
          send("?VERSION;\r\n", on: connection.descriptor)
        }
        wait(
          on: connection.descriptor,
          until: hasRequestedVersion || release != nil ? end : versionRequestAt)
      }
    }
    return release.map { .gpsd(release: $0, devices: nil) } ?? .other(.sendsNothing)
  }

  /// Sends a request.
  ///
  /// Does not use libgps, because libgps raises SIGPIPE on a closed connection.
  private static func send(_ request: String, on descriptor: Int32) {
    let bytes = Array(request.utf8)
    let flags = Int32(truncatingIfNeeded: Int(MSG_NOSIGNAL))
    // An error needs no handling: reading reports a broken connection.
    _ = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, flags) }
  }

  private static func wait(on descriptor: Int32, until: MonotonicTime) {
    var descriptor = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let left = max(0, until.nanoseconds &- MonotonicTime.now().nanoseconds) / 1_000_000 + 1
    _ = poll(&descriptor, 1, Int32(clamping: left))
  }
}
