// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A recording of a receiver and gpsd's decoding of it, from gpsd's regression tests.
///
/// `make test-deps` downloads the recordings to `.build/recordings`.
struct Recording: Sendable, CustomTestStringConvertible {
  let name: String
  let bytes: [UInt8]
  /// The JSON output of gpsd, one object per line, with `TPV` and `SKY` among other objects.
  let golden: [UInt8]
  /// Whether the log contains PGRMZ, Garmin's altitude in whole feet.
  let hasAltitudeInFeet: Bool
  /// Whether a GSA sentence of the log reports a two-dimensional fix.
  let hasTwoDimensionalGSA: Bool

  init?(log: URL) {
    guard let bytes = try? Data(contentsOf: log),
      let golden = try? Data(contentsOf: log.appendingPathExtension("chk"))
    else { return nil }
    name = log.lastPathComponent
    self.bytes = [UInt8](bytes)
    self.golden = [UInt8](golden)
    hasAltitudeInFeet = bytes.range(of: Data("$PGRMZ".utf8)) != nil
    hasTwoDimensionalGSA = ["GSA,A,2,", "GSA,M,2,"].contains {
      bytes.range(of: Data($0.utf8)) != nil
    }
  }

  var testDescription: String { name }

  static let folder: URL = {
    let package = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return package.appending(path: ".build/recordings")
  }()

  static let absence: Comment = "no recordings in .build/recordings: run `make test-deps`"

  /// All recordings, including binary protocols; empty if they were not downloaded.
  static let files: [URL] = {
    let files = try? FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    return (files ?? []).filter { $0.pathExtension == "log" }.sorted { $0.path < $1.path }
  }()

  /// The recordings of NMEA sentences for which gpsd reports at least one position.
  static let comparable: [Recording] = files.compactMap(Recording.init).filter {
    $0.isText && !$0.goldenEpochs().isEmpty
  }

  /// Whether at least 99 % of the bytes are printable ASCII, unlike in binary protocols.
  private var isText: Bool {
    let others = bytes.count { !(0x20...0x7E).contains($0) && ![0x09, 0x0A, 0x0D].contains($0) }
    return others * 100 <= bytes.count
  }

  /// Whether any sentence of the log has a checksum.
  ///
  /// If not, the log is decoded without checksums.
  var hasChecksums: Bool {
    bytes.split { $0 == 0x0A || $0 == 0x0D }.contains {
      $0.first == UInt8(ascii: "$") && $0.dropLast(2).last == UInt8(ascii: "*")
    }
  }

  /// Whether the log contains a sentence, such as `$GPZDA,,,,,,*48`.
  func contains(_ sentence: String) -> Bool {
    Data(bytes).range(of: Data(sentence.utf8)) != nil
  }
}
