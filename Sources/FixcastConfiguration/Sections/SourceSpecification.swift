// SPDX-License-Identifier: Apache-2.0

package import SystemSupport

/// A source of fixes, as written on the command line and in the configuration.
///
///     auto
///     [serial:]DEVNODE[@BAUD]
///     gpsd[:HOST[:PORT]]
///     replay:FILE
///     simulated
package enum SourceSpecification: Hashable, Sendable, CustomStringConvertible {
  /// The daemon; if no daemon is running, gpsd and all receivers that are plugged in.
  case auto
  /// A serial port. The baud rate is detected if `baud` is `nil`.
  case serial(devnode: String, baud: Int?, allowsMissingChecksum: Bool = false)
  /// A gpsd.
  case gpsd(HostPort)
  /// A recorded log.
  case replay(file: String)
  /// A simulated receiver.
  case simulated

  /// The default TCP port of gpsd.
  package static let gpsdPort: UInt16 = 2947

  /// Parses a specification; `nil` if the text is invalid.
  package init?(_ text: String) {
    if text.hasPrefix("/") {
      self.init(line: text)
      return
    }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let rest = parts.count > 1 ? String(parts[1]) : nil
    switch (parts[0], rest) {
    case ("auto", nil): self = .auto
    case ("simulated", nil): self = .simulated
    case ("replay", let file?) where !file.isEmpty: self = .replay(file: file)
    case ("serial", let line?): self.init(line: line)
    case ("gpsd", let address): self.init(gpsd: address ?? "")
    default: return nil
    }
  }

  private static let invalidBaud = "the baud rate after the @ must be greater than 0, e.g. 9600"

  /// Returns one line that explains why a text is invalid and how to correct it; `nil` if the text
  /// is valid.
  package static func fault(in text: String) -> String? {
    guard SourceSpecification(text) == nil else { return nil }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let rest = parts.count > 1 ? String(parts[1]) : nil
    if text.hasPrefix("/") { return invalidBaud }
    return switch (parts[0], rest) {
    case ("serial", let line?) where !line.isEmpty:
      line.hasPrefix("/") ? invalidBaud : fault(inLine: line)
    case ("serial", _): "the devnode is missing; try serial:/dev/ttyACM0"
    case ("gpsd", _): "gpsd takes a host and a port from 1 to 65535; try gpsd:localhost:2947"
    case ("replay", _): "the file is missing; try replay:FILE"
    case ("auto", _), ("simulated", _): "\(parts[0]) takes no argument"
    case (let name, nil) where name.hasPrefix("tty"): "not a source; try /dev/\(name)"
    default: "not a source; try auto, serial:/dev/ttyACM0, gpsd, simulated or replay:FILE"
    }
  }

  /// Returns the explanation for `DEVNODE[@BAUD]` without the folder of the devnode.
  private static func fault(inLine line: String) -> String {
    guard let at = line.lastIndex(of: "@"), Int(line[line.index(after: at)...]) == nil else {
      return "a devnode begins with /dev/; try serial:/dev/\(line)"
    }
    return "a devnode begins with /dev/, and a baud rate is a number; "
      + "try serial:/dev/\(line[..<at])@9600"
  }

  /// Whether the source is a serial port.
  package var isSerial: Bool { if case .serial = self { true } else { false } }

  /// Whether the source is a recorded log.
  package var isRecording: Bool { if case .replay = self { true } else { false } }

  /// Parses `DEVNODE[@BAUD]`.
  ///
  /// Stable device names contain colons and may contain an `@`, so a suffix is parsed as a baud
  /// rate only if it is a number.
  private init?(line: String) {
    guard let at = line.lastIndex(of: "@"), let baud = Int(line[line.index(after: at)...]) else {
      guard line.hasPrefix("/") else { return nil }
      self = .serial(devnode: line, baud: nil)
      return
    }
    let devnode = String(line[..<at])
    guard devnode.hasPrefix("/"), baud > 0 else { return nil }
    self = .serial(devnode: devnode, baud: baud)
  }

  /// Parses `[HOST][:PORT]`.
  private init?(gpsd address: String) {
    // Without brackets, the last part of an IPv6 address could be meant as the port.
    guard address.hasPrefix("[") || address.count(where: { $0 == ":" }) <= 1 else { return nil }
    let isHostMissing = address.isEmpty || address.hasPrefix(":")
    let text = isHostMissing ? "localhost\(address)" : address
    guard let server = try? HostPort(text, defaultPort: Self.gpsdPort) else { return nil }
    self = .gpsd(server)
  }

  /// The specification in the syntax that ``init(_:)`` parses.
  package var description: String {
    switch self {
    case .auto: "auto"
    case .serial(let devnode, let baud, _): "serial:\(devnode)" + (baud.map { "@\($0)" } ?? "")
    case .gpsd(let server): "gpsd:\(server)"
    case .replay(let file): "replay:\(file)"
    case .simulated: "simulated"
    }
  }

  /// The specification without a baud rate, by which messages name the source.
  package var nameWithoutBaud: String {
    if case .serial(let devnode, _, _) = self { "serial:\(devnode)" } else { "\(self)" }
  }
}
