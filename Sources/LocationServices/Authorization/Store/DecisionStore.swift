// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import SystemSupport

/// The file of decisions, which can be read at any time and is written as a whole.
///
/// A write goes to a second file, which is synced to the disk and then renamed, so that a power
/// failure leaves the old content. Space for the next write is reserved in `decisions.reserve`, so
/// that a grant can be revoked on a full disk. A lock serializes writers. A file that cannot be
/// read is never overwritten.
package struct DecisionStore: Sendable {
  static let fileName = "decisions.json"
  /// The maximum file size, enough for the maximum number of decisions and requests.
  static let maxBytes = 4 << 20

  package let folder: String
  private let lockTimeout: Duration

  /// Creates a store; the first write creates the folder.
  package init(folder: String, lockTimeout: Duration = .seconds(3)) {
    self.folder = folder
    self.lockTimeout = lockTimeout
  }

  package var path: String { "\(folder)/\(Self.fileName)" }

  /// Reads the decisions; an error must never be treated as a grant.
  package func read() throws(DecisionStoreError) -> DecisionLedger {
    let bytes: [UInt8]
    do { bytes = try BoundedFile.read(path, limit: Self.maxBytes) } catch {
      if error.isMissing { return DecisionLedger() }
      throw .file(error)
    }
    return try ledger(Data(bytes))
  }

  /// Changes the decisions under the lock.
  ///
  /// The file is written only if the content has changed. After an error the content is unchanged.
  @discardableResult
  package func update<Value>(
    _ change: (inout DecisionLedger) -> Value
  ) throws(DecisionStoreError) -> Value {
    do throws(FileFailure) { try StateFolder.make(folder) } catch { throw .file(error) }
    let lock = try StateLock(path: "\(folder)/decisions.lock", timeout: lockTimeout)
    defer { lock.release() }
    let before = try read()
    var after = before
    let value = change(&after)
    guard after != before else { return value }
    let bytes = try encoded(after)
    do throws(FileFailure) {
      try AtomicFile.write(bytes, to: path, reserve: reserve)
    } catch { throw .file(error) }
    reserve.make(for: bytes.count)
    return value
  }

  /// Reserves space for the next write, if the folder exists and no write is in progress.
  ///
  /// A write in progress reserves the space itself.
  func reserveRoom() {
    let lock = try? StateLock(path: "\(folder)/decisions.lock", timeout: .zero)
    guard let lock else { return }
    defer { lock.release() }
    let bytes = try? BoundedFile.read(path, limit: Self.maxBytes)
    reserve.make(for: bytes?.count ?? 0)
  }

  private var reserve: ReserveFile { ReserveFile(path: "\(folder)/decisions.reserve") }

  private func ledger(_ data: Data) throws(DecisionStoreError) -> DecisionLedger {
    struct Head: Codable {
      var version: Int
    }
    let ledger: DecisionLedger
    do {
      let version = try JSONDecoder().decode(Head.self, from: data).version
      guard version <= DecisionLedger.knownVersion else {
        throw DecisionStoreError.newer(path: path, version: version)
      }
      ledger = try JSONDecoder().decode(DecisionLedger.self, from: data)
    } catch let error as DecisionStoreError {
      throw error
    } catch {
      throw .corrupt(path: path, detail: Self.detail(error))
    }
    guard ledger.version == DecisionLedger.knownVersion else {
      throw .corrupt(path: path, detail: "contains invalid entries")
    }
    if let fault = ledger.fault { throw .corrupt(path: path, detail: fault) }
    return ledger
  }

  private func encoded(_ ledger: DecisionLedger) throws(DecisionStoreError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do { return Array(try encoder.encode(ledger)) + [UInt8(ascii: "\n")] } catch {
      throw .corrupt(path: path, detail: "cannot be encoded: \(error)")
    }
  }

  private static func detail(_ error: any Error) -> String {
    let context: DecodingError.Context? =
      switch error as? DecodingError {
      case .dataCorrupted(let context), .keyNotFound(_, let context),
        .typeMismatch(_, let context), .valueNotFound(_, let context):
        context
      default: nil
      }
    let keys = context?.codingPath.map(\.stringValue).joined(separator: ".") ?? ""
    return keys.isEmpty ? "is damaged" : "is damaged at \(keys)"
  }
}
