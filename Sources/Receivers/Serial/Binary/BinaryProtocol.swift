// SPDX-License-Identifier: Apache-2.0

/// The binary protocols that receivers may send instead of NMEA; gpsd supports all of them.
public enum BinaryProtocol: String, Sendable, CaseIterable {
  /// u-blox.
  case ubx = "UBX (u-blox)"
  /// SiRF.
  case sirf = "SiRF binary"
  /// SkyTraq.
  case skyTraq = "SkyTraq binary"
  /// RTCM 3: corrections of a base station, not positions.
  case rtcm3 = "RTCM 3 (corrections, not positions)"
  /// Frames between DLE and DLE ETX: Trimble's TSIP and Garmin's serial protocol.
  case dleFramed = "TSIP (Trimble) or Garmin binary"

  /// The result of checking bytes for a frame of this protocol.
  enum Verdict: Equatable {
    /// A valid frame of this many bytes.
    case frame(length: Int)
    /// The beginning of a possible frame; more bytes are needed.
    case incomplete
    /// No frame.
    case none
  }

  /// The maximum length of a frame; longer frames are not recognized.
  static let maximumFrameLength = 1100

  func verdict(_ bytes: ArraySlice<UInt8>) -> Verdict {
    switch self {
    case .ubx: Self.ubxVerdict(bytes)
    case .sirf: Self.sirfVerdict(bytes)
    case .skyTraq: Self.skyTraqVerdict(bytes)
    case .rtcm3: Self.rtcm3Verdict(bytes)
    case .dleFramed: Self.dleVerdict(bytes)
    }
  }

  /// Returns a complete frame with a valid header and length, or `nil` and the verdict instead.
  private static func completeFrame(
    _ bytes: ArraySlice<UInt8>, header: [UInt8], length: (ArraySlice<UInt8>) -> Int,
    headerLength: Int
  ) -> (frame: ArraySlice<UInt8>?, verdict: Verdict) {
    guard bytes.prefix(header.count).elementsEqual(header.prefix(bytes.count)) else {
      return (nil, .none)
    }
    guard bytes.count >= headerLength else { return (nil, .incomplete) }
    let total = length(bytes)
    guard total <= maximumFrameLength else { return (nil, .none) }
    return bytes.count < total ? (nil, .incomplete) : (bytes.prefix(total), .none)
  }

  private static func number(_ bytes: ArraySlice<UInt8>, _ high: Int, _ low: Int) -> Int {
    Int(bytes[bytes.startIndex + high]) << 8 | Int(bytes[bytes.startIndex + low])
  }

  /// B5 62, class, id, length (little-endian), payload, checksum (u-blox 8 description, 32.4).
  private static func ubxVerdict(_ bytes: ArraySlice<UInt8>) -> Verdict {
    let (frame, verdict) = completeFrame(
      bytes, header: [0xB5, 0x62], length: { number($0, 5, 4) + 8 }, headerLength: 6)
    guard let frame else { return verdict }
    var (first, second) = (UInt8(0), UInt8(0))
    for byte in frame.dropFirst(2).dropLast(2) {
      first &+= byte
      second &+= first
    }
    return frame.suffix(2).elementsEqual([first, second]) ? .frame(length: frame.count) : .none
  }

  /// A0 A2, length, payload, 15-bit checksum, B0 B3 (SiRF binary protocol manual, 2.1).
  private static func sirfVerdict(_ bytes: ArraySlice<UInt8>) -> Verdict {
    let (frame, verdict) = completeFrame(
      bytes, header: [0xA0, 0xA2], length: { (number($0, 2, 3) & 0x7FFF) + 8 }, headerLength: 4)
    guard let frame else { return verdict }
    let sum = frame.dropFirst(4).dropLast(4).reduce(0) { ($0 + Int($1)) & 0x7FFF }
    let end: [UInt8] = [UInt8(sum >> 8), UInt8(sum & 0xFF), 0xB0, 0xB3]
    return frame.suffix(4).elementsEqual(end) ? .frame(length: frame.count) : .none
  }

  /// A0 A1, length, payload, XOR checksum, CR LF (SkyTraq application note AN0003).
  private static func skyTraqVerdict(_ bytes: ArraySlice<UInt8>) -> Verdict {
    let (frame, verdict) = completeFrame(
      bytes, header: [0xA0, 0xA1], length: { number($0, 2, 3) + 7 }, headerLength: 4)
    guard let frame else { return verdict }
    let sum = frame.dropFirst(4).dropLast(3).reduce(0, ^)
    return frame.suffix(3).elementsEqual([sum, 0x0D, 0x0A]) ? .frame(length: frame.count) : .none
  }

  /// D3, six zero bits, ten bits of length, payload, CRC-24Q (RTCM 10403.3, 4.1).
  private static func rtcm3Verdict(_ bytes: ArraySlice<UInt8>) -> Verdict {
    let (frame, verdict) = completeFrame(
      bytes, header: [0xD3], length: { number($0, 1, 2) + 6 }, headerLength: 3)
    guard let frame else { return verdict }
    var crc: UInt32 = 0
    for byte in frame.dropLast(3) {
      crc ^= UInt32(byte) << 16
      for _ in 0..<8 {
        crc <<= 1
        if crc & 0x0100_0000 != 0 { crc ^= 0x0186_4CFB }
      }
    }
    let end = [UInt8(crc >> 16 & 0xFF), UInt8(crc >> 8 & 0xFF), UInt8(crc & 0xFF)]
    return frame.suffix(3).elementsEqual(end) ? .frame(length: frame.count) : .none
  }

  /// DLE, an id that is neither DLE nor ETX, data with every DLE doubled, DLE ETX.
  private static func dleVerdict(_ bytes: ArraySlice<UInt8>) -> Verdict {
    guard bytes.first == 0x10 else { return .none }
    guard let id = bytes.dropFirst().first else { return .incomplete }
    guard id != 0x10, id != 0x03 else { return .none }
    var index = bytes.startIndex + 2
    while index < bytes.endIndex, index - bytes.startIndex < 400 {
      guard bytes[index] == 0x10 else {
        index += 1
        continue
      }
      guard index + 1 < bytes.endIndex else { return .incomplete }
      switch bytes[index + 1] {
      case 0x10: index += 2
      case 0x03: return .frame(length: index + 2 - bytes.startIndex)
      default: return .none
      }
    }
    return index < bytes.endIndex ? .none : .incomplete
  }
}
