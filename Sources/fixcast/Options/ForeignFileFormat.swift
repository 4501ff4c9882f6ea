// SPDX-License-Identifier: Apache-2.0

import Doctor
import Glibc
import Receivers

/// A file format that contains NMEA only after a conversion.
enum ForeignFileFormat: Equatable {
  case gzip
  /// UTF-16 text; `encoding` is the name for iconv.
  case utf16(encoding: String)
  /// Text of 7 data bits, recorded with 8 data bits.
  case sevenBits(DataFormat)

  /// The maximum number of bytes that identify a format.
  static let headBytes = 4096
  private static let minHeadBytes = 4

  /// Recognizes a format by the first bytes of a file.
  init?(head: [UInt8]) {
    guard head.count >= Self.minHeadBytes else { return nil }
    func isText(_ byte: UInt8) -> Bool { (0x20...0x7E).contains(byte) || byte == 0x0A }
    switch (head[0], head[1], head[2], head[3]) {
    case (0x1F, 0x8B, _, _): self = .gzip
    case (0xFF, 0xFE, _, _), (0xFE, 0xFF, _, _): self = .utf16(encoding: "UTF-16")
    case (let first, 0, let second, 0) where isText(first) && isText(second):
      self = .utf16(encoding: "UTF-16LE")
    case (0, let first, 0, let second) where isText(first) && isText(second):
      self = .utf16(encoding: "UTF-16BE")
    default:
      guard let format = DataFormat(of: head) else { return nil }
      self = .sevenBits(format)
    }
  }

  /// Recognizes the format of a file; `nil` if the file cannot be read.
  init?(path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var head = [UInt8](repeating: 0, count: Self.headBytes)
    let count = head.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    self.init(head: Array(head.prefix(max(count, 0))))
  }

  /// Returns the format and the command that converts the file.
  ///
  /// `file` is the path; `nil` for standard input.
  func text(file: String?) -> String {
    let name = file.map { RuleFindings.quoted($0) } ?? "FILE"
    return switch self {
    case .gzip: "it is compressed with gzip; decompress it: zcat < \(name) > log.nmea"
    case .utf16(let encoding):
      "it is UTF-16 text; convert it: iconv -f \(encoding) -t UTF-8 \(name) > log.nmea"
    case .sevenBits(let format):
      "its bytes are \(format); convert it: tr '\\200-\\377' '\\000-\\177' < \(name) > log.nmea"
    }
  }
}
