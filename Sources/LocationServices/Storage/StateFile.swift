// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import Glibc
internal import Synchronization
internal import SystemSupport

/// A small file that survives restarts and is read and written as a whole.
///
/// A write goes to a second file, which is synced to the disk and then renamed. A damaged file is
/// set aside under another name and reported. A file of a later version, or one that cannot be
/// read, is never overwritten.
final class StateFile<Value: Codable & Sendable>: Sendable {
  private struct Envelope: Codable {
    var version: Int
    var value: Value
  }

  private struct Head: Codable {
    var version: Int
  }

  private struct State {
    /// The reason why the file must not be written; `nil` if it may be written.
    var writeRefusal: String?
    var reported: Set<String> = []
  }

  /// The current format version.
  private let version = 1
  /// The maximum file size, enough for 20 regions with long names.
  static var maxBytes: Int { 1 << 18 }

  let path: String
  private let isUsable: @Sendable (Value) -> Bool
  private let report: @Sendable (String) -> Void
  private let state = Mutex(State())

  init(
    path: String, report: @escaping @Sendable (String) -> Void,
    isUsable: @escaping @Sendable (Value) -> Bool
  ) {
    self.path = path
    self.report = report
    self.isUsable = isUsable
  }

  /// Identifies the content of the file without reading it.
  struct Stamp: Equatable {
    fileprivate var inode: UInt64
    fileprivate var size: Int64
    fileprivate var seconds: Int64
    fileprivate var nanoseconds: Int64
  }

  /// The current stamp; `nil` if the file is missing or inaccessible.
  var stamp: Stamp? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return Stamp(
      inode: UInt64(status.st_ino), size: Int64(status.st_size),
      seconds: Int64(status.st_mtim.tv_sec), nanoseconds: Int64(status.st_mtim.tv_nsec))
  }

  /// Returns the stored value; `nil` if the file is missing or unusable.
  func load() -> Value? {
    let bytes: [UInt8]
    do { bytes = try BoundedFile.read(path, limit: Self.maxBytes) } catch {
      if error.isMissing { return nil }
      if error.isTooLarge {
        setAside("is larger than \(Self.maxBytes) bytes")
      } else {
        refuse("\(error); monitoring state is not stored")
      }
      return nil
    }
    let data = Data(bytes)
    guard let head = try? JSONDecoder().decode(Head.self, from: data) else {
      setAside("is damaged")
      return nil
    }
    guard head.version <= version else {
      refuse(
        "\(path): version \(head.version) was written by a later fixcast; "
          + "monitoring state is not stored")
      return nil
    }
    guard let envelope = try? JSONDecoder().decode(Envelope.self, from: data),
      envelope.version == version, isUsable(envelope.value)
    else {
      setAside("is damaged")
      return nil
    }
    return envelope.value
  }

  /// Writes the file; returns when the content is on the disk.
  ///
  /// After a failure, the previous content is kept, and the failure is reported.
  func save(_ value: Value) {
    if state.withLock({ $0.writeRefusal }) != nil { return }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(Envelope(version: version, value: value)) else {
      return reportOnce("\(path): cannot be encoded")
    }
    guard data.count < Self.maxBytes else {
      return reportOnce("\(path): larger than \(Self.maxBytes) bytes; previous content kept")
    }
    do {
      try write(Array(data) + [UInt8(ascii: "\n")])
      state.withLock { $0.reported = [] }
    } catch { reportOnce("\(error); monitoring state will be lost at the next restart") }
  }

  private func write(_ bytes: [UInt8]) throws(DecisionStoreError) {
    do throws(FileFailure) { try StateFolder.make(StateFolder.parent(of: path)) } catch {
      throw .file(error)
    }
    let lock = try StateLock(path: path + ".lock", timeout: .seconds(3))
    defer { lock.release() }
    do throws(FileFailure) { try AtomicFile.write(bytes, to: path) } catch { throw .file(error) }
  }

  private func setAside(_ problem: String) {
    let aside = path + ".damaged"
    do throws(FileFailure) {
      try AtomicFile.move(path, to: aside)
      reportOnce("\(path): \(problem); set aside as \(aside), monitoring starts over")
    } catch { refuse("\(path): \(problem), and cannot be set aside (\(error))") }
  }

  private func refuse(_ problem: String) {
    state.withLock { $0.writeRefusal = problem }
    reportOnce(problem)
  }

  /// Reports a line once, and again only after a write has succeeded.
  private func reportOnce(_ line: String) {
    if state.withLock({ $0.reported.insert(line).inserted }) { report(line) }
  }
}
