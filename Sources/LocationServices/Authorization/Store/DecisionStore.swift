// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import SystemSupport

/// The file of answers: read at any time, written whole or not at all.
///
/// A write goes to a second file, to the disk, and then takes the place of the first; so a lost
/// supply leaves the old answers. Room for the next write is kept in `decisions.reserve`, so that a
/// grant can be revoked on a full disk. Writers take turns by a lock. What cannot be read is never
/// overwritten.
package struct DecisionStore: Sendable {
  static let fileName = "decisions.json"
  /// Room for all the answers and requests there may be.
  static let maxBytes = 4 << 20

  package let folder: String
  private let lockTimeout: Duration

  /// Names a store; the folder is made by the first write.
  package init(folder: String, lockTimeout: Duration = .seconds(3)) {
    self.folder = folder
    self.lockTimeout = lockTimeout
  }

  package var path: String { "\(folder)/\(Self.fileName)" }

  /// Reads what was written last; an error is never to be taken for a grant.
  package func read() throws(DecisionStoreError) -> DecisionLedger {
    let bytes: [UInt8]
    do { bytes = try BoundedFile.read(path, limit: Self.maxBytes) } catch {
      if error.isMissing { return DecisionLedger() }
      throw .file(error)
    }
    return try ledger(Data(bytes))
  }

  /// Changes the answers; nobody else does meanwhile.
  ///
  /// Where the change changes nothing, nothing is written. After an error the answers are as they
  /// were.
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

  /// Keeps room for the next write, where the folder is there and nobody is writing: that write
  /// keeps room itself.
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
      throw .corrupt(path: path, detail: "holds what it may not")
    }
    if let fault = ledger.fault { throw .corrupt(path: path, detail: fault) }
    return ledger
  }

  private func encoded(_ ledger: DecisionLedger) throws(DecisionStoreError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do { return Array(try encoder.encode(ledger)) + [UInt8(ascii: "\n")] } catch {
      throw .corrupt(path: path, detail: "cannot be written: \(error)")
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
