// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import SystemSupport

/// What `/etc/default/gpsd` says of the receivers that gpsd is to read.
public struct GPSDConfiguration: Equatable, Sendable {
  /// Where Debian and its kin keep it.
  public static let usualPath = "/etc/default/gpsd"

  /// The devices that gpsd opens by name.
  public var devices: Set<String> = []
  /// Whether gpsd is handed the receivers that its own rules know when they are plugged in.
  public var autodetects = false

  /// Makes the configuration of a gpsd that reads nothing.
  public init() {}

  /// Reads the text of the file: assignments as a shell or systemd takes them.
  ///
  /// What is no assignment is passed over, and the last of several counts.
  public init(_ text: String) {
    var values: [String: String] = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      guard let (name, value) = Self.assignment(line) else { continue }
      values[name] = value
    }
    // The unit gives the options to gpsd as they are, and a device may stand among them.
    let words = ["DEVICES", "GPSD_OPTIONS", "OPTIONS"].compactMap { values[$0] }
      .flatMap { $0.split(whereSeparator: \.isWhitespace).map(String.init) }
    devices = Set(words.filter { $0.hasPrefix("/dev/") })
    autodetects = values["USBAUTO"] == "true"
  }

  /// Reads the file where gpsd is installed: its configuration outlives its removal.
  ///
  /// - Parameters:
  ///   - path: Where the file is.
  ///   - program: Where gpsd is.
  /// - Returns: What it says; of nothing where there is no gpsd, or no file.
  public static func installed(
    path: String = usualPath, program: String = "/usr/sbin/gpsd"
  ) -> GPSDConfiguration {
    guard access(program, X_OK) == 0 else { return GPSDConfiguration() }
    return BoundedFile.text(path).map(GPSDConfiguration.init) ?? GPSDConfiguration()
  }

  /// Whether a receiver is gpsd's by configuration, whether gpsd runs or not.
  ///
  /// - Parameter receiver: The receiver.
  /// - Returns: Whether gpsd is to read it.
  public func claims(_ receiver: DiscoveredReceiver) -> Bool {
    if devices.contains(where: receiver.device.isCalled) { return true }
    guard autodetects, receiver.device.usbID != nil else { return false }
    // gpsd's rules make such a link of whatever they hand over, and of nothing else.
    if receiver.device.links.contains(where: Self.isGPSDLink) { return true }
    // They may not have run. What only a local rule calls a receiver they do not know.
    return !receiver.device.isInitialized && receiver.role == .receiver
      && receiver.model?.kind == .specific
  }

  /// `/dev/gps0`, as gpsd's own rules name it.
  private static func isGPSDLink(_ link: String) -> Bool {
    let prefix = "/dev/gps"
    let number = link.utf8.dropFirst(prefix.utf8.count)
    return link.hasPrefix(prefix) && !number.isEmpty
      && number.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  private static func assignment(_ line: Substring) -> (name: String, value: String)? {
    let line = line.drop(while: \.isWhitespace)
    guard !line.hasPrefix("#"), let equals = line.firstIndex(of: "=") else { return nil }
    var name = line[..<equals]
    if name.hasPrefix("export ") { name = name.dropFirst("export ".count) }
    guard !name.isEmpty, !name.contains(where: \.isWhitespace) else { return nil }
    return (String(name), value(line[line.index(after: equals)...]))
  }

  /// The value without its quotes, or up to a comment.
  private static func value(_ text: Substring) -> String {
    if let quote = text.first, quote == "\"" || quote == "'" {
      return String(text.dropFirst().prefix { $0 != quote })
    }
    var value = text
    if let comment = value.indices.first(where: { value[$0...].hasPrefix(" #") }) {
      value = value[..<comment]
    }
    while value.last?.isWhitespace == true { value.removeLast() }
    return String(value)
  }
}
