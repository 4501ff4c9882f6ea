// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import SystemSupport

/// The receivers that `/etc/default/gpsd` assigns to gpsd.
public struct GPSDConfiguration: Equatable, Sendable {
  /// The path of the configuration file on Debian and its derivatives.
  public static let usualPath = "/etc/default/gpsd"

  /// The device paths that gpsd opens when it starts.
  public var devices: Set<String> = []
  /// Whether gpsd's udev rules make gpsd read receivers that are plugged in (`USBAUTO`).
  public var autodetects = false

  /// Makes a configuration without receivers.
  public init() {}

  /// Parses the text of the file: assignments in the syntax of a shell or of systemd.
  ///
  /// Other lines are ignored. The last of several assignments to one variable wins.
  public init(_ text: String) {
    var values: [String: String] = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      guard let (name, value) = Self.assignment(line) else { continue }
      values[name] = value
    }
    // The systemd unit passes these options to gpsd; the options may contain device paths.
    let words = ["DEVICES", "GPSD_OPTIONS", "OPTIONS"].compactMap { values[$0] }
      .flatMap { $0.split(whereSeparator: \.isWhitespace).map(String.init) }
    devices = Set(words.filter { $0.hasPrefix("/dev/") })
    autodetects = values["USBAUTO"] == "true"
  }

  /// Reads the configuration file of the installed gpsd.
  ///
  /// Removing the gpsd package leaves the file behind, so the file is only read if the program
  /// exists.
  ///
  /// - Returns: The configuration; empty if gpsd is not installed or the file cannot be read.
  public static func installed(
    path: String = usualPath, program: String = "/usr/sbin/gpsd"
  ) -> GPSDConfiguration {
    guard access(program, X_OK) == 0 else { return GPSDConfiguration() }
    return BoundedFile.text(path).map(GPSDConfiguration.init) ?? GPSDConfiguration()
  }

  /// Whether the configuration assigns the receiver to gpsd, even if gpsd is not running.
  public func claims(_ receiver: DiscoveredReceiver) -> Bool {
    if devices.contains(where: receiver.device.hasName) { return true }
    guard autodetects, receiver.device.usbID != nil else { return false }
    // gpsd's udev rules create this link for every receiver that they add to gpsd.
    if receiver.device.links.contains(where: Self.isGPSDLink) { return true }
    // Before the udev rules have run, the link is missing. gpsd's rules match only known models.
    return !receiver.device.isInitialized && receiver.role == .receiver
      && receiver.model?.kind == .specific
  }

  /// Whether the link has a name that gpsd's udev rules create, such as `/dev/gps0`.
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

  /// Returns the value without quotes, or, if unquoted, without a trailing comment.
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
