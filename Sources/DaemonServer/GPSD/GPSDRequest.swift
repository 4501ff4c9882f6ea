// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// A request of a gpsd client.
enum GPSDRequest: Equatable, Sendable {
  case version
  case devices
  /// A request for the state of one device, or of all devices if `path` is `nil`.
  ///
  /// Settings of the device in the request are ignored.
  case device(path: String?)
  case poll
  /// A change of the watch settings; `nil` only requests the present settings.
  case watch(GPSDWatchChange?)
  case invalidWatch(reason: String)
  case invalidDevice(reason: String)
  case unrecognized(String)

  /// The maximum length of a request that an error message repeats.
  private static let maxQuotedBytes = 80

  private struct DeviceArgument: Decodable {
    var path: String?
  }

  init(_ bytes: [UInt8]) {
    let separator = bytes.firstIndex(of: UInt8(ascii: "=")) ?? bytes.endIndex
    let name = String(decoding: Self.trim(bytes[..<separator]), as: UTF8.self)
    let argument = separator < bytes.endIndex ? bytes[(separator + 1)...] : nil
    switch (name, argument) {
    case ("?VERSION", nil): self = .version
    case ("?DEVICES", nil): self = .devices
    case ("?DEVICE", nil): self = .device(path: nil)
    case ("?POLL", nil): self = .poll
    case ("?WATCH", nil): self = .watch(nil)
    case ("?WATCH", let argument?):
      switch Self.decode(GPSDWatchChange.self, argument) {
      case .success(let change) where change.class ?? "WATCH" != "WATCH":
        self = .invalidWatch(reason: "the class is not WATCH")
      case .success(let change): self = .watch(change)
      case .failure(let error): self = .invalidWatch(reason: error.reason)
      }
    case ("?DEVICE", let argument?):
      switch Self.decode(DeviceArgument.self, argument) {
      case .success(let argument): self = .device(path: argument.path)
      case .failure(let error): self = .invalidDevice(reason: error.reason)
      }
    default:
      let quoted = Self.trim(bytes[...]).prefix(Self.maxQuotedBytes)
      self = .unrecognized(String(decoding: quoted, as: UTF8.self))
    }
  }

  private struct InvalidArgument: Error {
    var reason: String
  }

  private static func decode<Value: Decodable>(
    _ type: Value.Type, _ argument: ArraySlice<UInt8>
  ) -> Result<Value, InvalidArgument> {
    do {
      return .success(try JSONDecoder().decode(type, from: Data(argument)))
    } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context)
    {
      let name = context.codingPath.last.map { "wrong type of \"\($0.stringValue)\"" }
      return .failure(InvalidArgument(reason: name ?? "the argument is not a JSON object"))
    } catch {
      return .failure(InvalidArgument(reason: "the argument is not a JSON object"))
    }
  }

  private static func trim(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    var text = bytes
    while let last = text.last, isBlank(last) { text.removeLast() }
    return text
  }
}
