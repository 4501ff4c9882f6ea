// SPDX-License-Identifier: Apache-2.0

/// The format in which a connection receives the published events.
enum StreamFormat: Sendable {
  /// HTTP and server-sent events.
  case events
  case gpsd(GPSDSession)
  case nmea

  /// The protocol of a feed; `nil` for HTTP.
  var feed: FeedProtocol? {
    switch self {
    case .events: nil
    case .gpsd: .gpsd
    case .nmea: .nmea
    }
  }

  /// Whether the client watches JSON reports in the gpsd protocol.
  var wantsJSON: Bool { if case .gpsd(let session) = self { session.wantsJSON } else { false } }

  var wantsNMEA: Bool {
    switch self {
    case .events: false
    case .gpsd(let session): session.wantsNMEA
    case .nmea: true
    }
  }

  /// Whether the client receives reports of a receiver.
  func watches(_ receiver: String?) -> Bool {
    if case .gpsd(let session) = self { session.watches(receiver) } else { true }
  }
}

/// The protocol of a feed: a connection that receives positions without an HTTP request.
///
/// The client of a feed states no purpose, so it never creates a pending request.
package enum FeedProtocol: String, CaseIterable, Sendable {
  case gpsd
  case nmea
}
