// SPDX-License-Identifier: Apache-2.0

package import FixcastConfiguration
internal import LocationServices
internal import Logging
package import Pipeline
internal import Positioning
internal import Synchronization
internal import SystemSupport

/// Sends each location as NMEA 0183 sentences over UDP, one sentence a datagram.
///
/// A datagram that cannot be sent, for example because there is no network, is dropped and counted:
/// the next location replaces it. The log has a line when this begins, and one with the count when
/// it ends.
package actor NMEASink: DeliveringSink {
  private static let destinations = SettingKey.list(
    "destinations",
    summary: "IP addresses and ports of hosts, or broadcast addresses of networks"
  ).example(.list([.string("192.168.1.255:10110")]))
  private static let maxDestinations = 16

  /// The plugin's entry in the catalogue.
  package static let plugin = Plugin.sink(
    "nmea", "NMEA 0183 over UDP, one sentence a datagram", [destinations.declaration],
    mailbox: .keepNewest,
    makeFilter: { _ in
      { $0 is LocationEvent || $0 is NoFixEvent || $0 is SkyEvent || $0 is SourceEvent }
    },
    make: { settings, context throws(SettingsError) in try NMEASink(settings, context) })

  /// The name in reports and in the status.
  package nonisolated let name: String
  private let logger: Logger
  private let addresses: [ListenAddress]
  private let now: @Sendable () -> MonotonicTime
  private var senders: [DatagramSender] = []
  private nonisolated let deliveryState = Mutex(SinkDelivery())
  /// The newest sky of a receiver.
  private var sky: SkyEvent?

  /// Creates a sink without opening a socket.
  ///
  /// Throws `SettingsError` if a destination is not allowed.
  package init(_ settings: SettingsTable, _ context: PluginContext) throws(SettingsError) {
    name = context.name ?? Self.plugin.name
    let texts = try settings.value(of: Self.destinations)
    guard (1...Self.maxDestinations).contains(texts.count) else {
      throw settings.error(
        .conflict("needs 1 to \(Self.maxDestinations) addresses"), in: "destinations")
    }
    var addresses: [ListenAddress] = []
    for text in texts {
      guard let address = ListenAddress(text) else {
        throw settings.error(
          .conflict("\"\(text)\" is not an IP address with a port"),
          in: "destinations")
      }
      if let problem = address.datagramProblem {
        throw settings.error(
          .conflict("\"\(text)\" \(problem)"), in: "destinations")
      }
      addresses.append(address)
    }
    logger = context.logger
    now = context.now
    self.addresses = addresses
  }

  /// Whether each destination gets its sentences.
  package nonisolated var delivery: SinkDelivery { deliveryState.withLock { $0 } }

  /// Opens a socket for each destination.
  package func start() async throws {
    do throws(SystemCallFailure) {
      for address in addresses { senders.append(try DatagramSender(address)) }
    } catch {
      throw PluginError(.transient(), "socket", why: "\(error)")
    }
  }

  /// Closes the sockets.
  package func stop() async { senders = [] }

  /// Sends a location, or the report that there is none.
  package func receive(_ event: any PipelineEvent) async {
    switch event {
    case let event as LocationEvent: send(Fix(event.location))
    case let event as NoFixEvent: send(event.fix)
    case let event as SkyEvent: sky = event
    case SourceEvent.lost: send(Fix(mode: .none))
    default: break
    }
  }

  private func send(_ fix: Fix) {
    let sky = sky.flatMap { $0.device == fix.source ? $0.sky : nil }
    let sentences = NMEAEpoch.sentences(of: fix, sky: sky)
      .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true)
    for sender in senders {
      for sentence in sentences {
        if let notice = sender.send(sentence + [UInt8(ascii: "\n")]) {
          logger.warning("\(name): \(notice)")
        }
      }
    }
    let reason = senders.compactMap(\.failure).first
    let now = now()
    deliveryState.withLock { delivery in
      if (reason == nil) != (delivery.waitingReason == nil) { delivery.since = now }
      delivery.waitingReason = reason
    }
  }
}

extension ListenAddress {
  /// The reason why the service cannot send datagrams to the address; `nil` if it can.
  ///
  /// The service's unit allows neither multicast nor reserved addresses (`IPAddressAllow`).
  fileprivate var datagramProblem: String? {
    if !bytes.contains(where: { $0 != 0 }) { return "is not the address of a host" }
    let unit = "the service's unit does not allow it"
    let correction = "use the address of a host, or the broadcast address of its network"
    let isMulticast = isIPv6 ? bytes[0] == 0xFF : (224..<240).contains(bytes[0])
    if isMulticast { return "is a multicast address, and \(unit); \(correction)" }
    if !isIPv6, bytes == [255, 255, 255, 255] {
      return "is the broadcast address of all networks, and \(unit); \(correction)"
    }
    return !isIPv6 && bytes[0] >= 240 ? "is a reserved address, and \(unit); \(correction)" : nil
  }
}
