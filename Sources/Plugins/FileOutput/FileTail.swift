// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SystemSupport

/// Finds the end of the data in a file, which a crash or a power cut may have left incomplete.
///
/// After a power cut, the last bytes of a file may be NUL: the size of the file was on the disk, and
/// the data was not.
enum FileTail {
  private static let chunkBytes = 65_536

  /// Returns the offset after the last byte that satisfies a condition; 0 if there is none.
  static func end(
    _ descriptor: Int32, _ path: String, size: Int, where isEnd: (UInt8) -> Bool
  ) throws(FileFailure) -> Int {
    var end = size
    while end > 0 {
      let start = max(end - chunkBytes, 0)
      let bytes = try read(descriptor, path, end - start, start)
      if let index = bytes.lastIndex(where: isEnd) { return start + index + 1 }
      end = start
    }
    return 0
  }

  /// Reads bytes at an offset; returns fewer bytes at the end of the file.
  static func read(
    _ descriptor: Int32, _ path: String, _ count: Int, _ offset: Int
  ) throws(FileFailure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let readCount = try FileFailure.check(path, "read") {
      pread(descriptor, &bytes, count, off_t(offset))
    }
    return Array(bytes.prefix(readCount))
  }
}
