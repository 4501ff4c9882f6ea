// SPDX-License-Identifier: Apache-2.0

package import Positioning

/// The state of one client of the gpsd protocol: its incomplete request and its watch settings.
///
/// Takes the client's bytes and the daemon's reports, and returns the lines to send. A function
/// that returns `nil` means that the client does not watch this kind of report.
package struct GPSDSession: Sendable {
  /// The maximum number of requests that are answered in one call of ``receive(_:_:)``.
  static let maxRequestsAtOnce = 8

  private let version: GPSDVersion
  private var scanner = GPSDRequestScanner()
  private var watch = GPSDWatch()
  private var http = HTTPRequestDetector()
  /// Whether the client has sent an HTTP request; its connection has to be closed.
  package private(set) var isHTTP = false

  /// Makes a session of a client that watches nothing.
  package init(version: GPSDVersion) { self.version = version }

  /// The line that the server sends to a new client.
  package static func greeting(_ version: GPSDVersion) -> [UInt8] { GPSDObjects.version(version) }

  /// Whether the client watches JSON reports.
  package var wantsJSON: Bool { watch.isEnabled && watch.json }
  /// Whether the client watches NMEA sentences.
  package var wantsNMEA: Bool { watch.isEnabled && (watch.nmea || watch.raw > 0) }
  /// The only device that the client watches; `nil` for all devices.
  package var device: String? { watch.device }

  // MARK: Requests

  /// Returns the answers to the requests that the bytes complete, in order.
  ///
  /// If the bytes contain too many requests, the answers end with an error, and the other requests
  /// are dropped.
  package mutating func receive(_ bytes: [UInt8], _ view: GPSDView) -> [UInt8] {
    isHTTP = isHTTP || http.detects(bytes)
    guard !isHTTP else { return [] }
    var input = bytes[...]
    var answers: [UInt8] = []
    var count = 0
    while let element = scanner.next(from: &input) {
      guard count < Self.maxRequestsAtOnce else {
        scanner = GPSDRequestScanner()
        return answers + GPSDObjects.error("Too many requests at once; some were dropped")
      }
      count += 1
      switch element {
      case .request(let request): answers += answer(GPSDRequest(request), view)
      case .tooLong:
        answers += GPSDObjects.error(
          "Request dropped: longer than \(GPSDRequestScanner.maxBytes) bytes")
      }
    }
    return answers
  }

  private mutating func answer(_ request: GPSDRequest, _ view: GPSDView) -> [UInt8] {
    switch request {
    case .version: return GPSDObjects.version(version)
    case .devices: return GPSDObjects.devices(view.devices)
    case .device(nil): return view.devices.flatMap(GPSDObjects.device)
    case .device(let path?):
      guard let device = view.device(path) else { return Self.unknownDevice(path) }
      return GPSDObjects.device(device)
    case .poll: return GPSDObjects.poll(view.only(watch.device), isEnabled: watch.isEnabled)
    case .watch(let change):
      if let change { watch.apply(change) }
      if change != nil, watch.isEnabled, let path = watch.device, view.device(path) == nil {
        return Self.unknownDevice(path)
      }
      return settings(view)
    case .invalidWatch(let reason):
      return GPSDObjects.error("Invalid WATCH: \(reason)") + settings(view)
    case .invalidDevice(let reason): return GPSDObjects.error("Invalid DEVICE: \(reason)")
    case .unrecognized(let text): return GPSDObjects.error("Unrecognized request '\(text)'")
    }
  }

  private func settings(_ view: GPSDView) -> [UInt8] {
    GPSDObjects.devices(view.devices) + GPSDObjects.watch(watch)
  }

  private static func unknownDevice(_ path: String) -> [UInt8] {
    GPSDObjects.error("No such device as \(GPSDObjects.path(path))")
  }

  // MARK: Reports

  /// Returns a fix as `TPV`, followed by an `ATT` if the heading is known.
  ///
  /// The object contains the age of the fix if `now` is not `nil`.
  package func frame(of fix: Fix, now: MonotonicTime?) -> [UInt8]? {
    guard wantsJSON, watches(fix.source) else { return nil }
    return GPSDObjects.report(fix, now: now)
  }

  /// Returns a sky as `SKY`.
  package func frame(of sky: SkyView) -> [UInt8]? {
    guard wantsJSON, watches(sky.source) else { return nil }
    return GPSDObjects.report(sky)
  }

  /// Returns a new or changed receiver as `DEVICE`.
  package func frame(of device: GPSDDevice) -> [UInt8]? {
    guard wantsJSON, watches(device.receiver.name) else { return nil }
    return GPSDObjects.device(device)
  }

  /// Returns the loss of a receiver as an inactive `DEVICE`; gpsd 3.22 does not report it.
  package func frame(ofLost receiver: String) -> [UInt8]? {
    frame(of: GPSDDevice(ReceiverInfo(name: receiver, isActive: false), activated: nil))
  }

  /// Returns a `TPV` without a position.
  package func withoutPosition(device: String?) -> [UInt8]? {
    guard wantsJSON else { return nil }
    var fix = Fix(mode: .none)
    fix.source = device
    return GPSDObjects.report(fix, now: nil)
  }

  /// Returns an `ERROR`.
  ///
  /// `nil` for clients that only poll: gpsd-py3 fails if another object than `POLL` arrives.
  package func error(_ message: String) -> [UInt8]? {
    wantsJSON ? GPSDObjects.error(message) : nil
  }

  /// Whether the client watches a receiver.
  package func watches(_ receiver: String?) -> Bool {
    guard let device = watch.device, let receiver else { return true }
    return GPSDObjects.path(receiver) == device
  }
}

extension GPSDView {
  fileprivate func device(_ path: String) -> GPSDDevice? {
    devices.first { GPSDObjects.path($0.receiver.name) == GPSDObjects.path(path) }
  }

  /// The values of one device, or all values if `path` is `nil`.
  fileprivate func only(_ path: String?) -> GPSDView {
    guard let path else { return self }
    var view = self
    view.devices = devices.filter { GPSDObjects.path($0.receiver.name) == path }
    if let source = fix?.source, GPSDObjects.path(source) != path { view.fix = nil }
    if let source = sky?.source, GPSDObjects.path(source) != path { view.sky = nil }
    return view
  }
}
