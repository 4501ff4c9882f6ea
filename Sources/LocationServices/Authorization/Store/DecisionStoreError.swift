// SPDX-License-Identifier: Apache-2.0

package import SystemSupport

/// The reason why decisions cannot be read or written; the file is unchanged.
package enum DecisionStoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A system call failed.
  case file(FileFailure)
  /// The file is not a store, or is damaged.
  case corrupt(path: String, detail: String)
  case newer(path: String, version: Int)
  case busy(path: String)

  /// Whether a permission is missing.
  package var isPermission: Bool {
    if case .file(let failure) = self { failure.isPermission } else { false }
  }

  /// Whether the error may disappear without a change to the file.
  var isTemporary: Bool { if case .file(let failure) = self { failure.isTemporary } else { false } }

  package var description: String {
    switch self {
    case .file(let failure): "\(failure)"
    case .corrupt(let path, let detail):
      "\(path): \(detail); fix it, or move it away and start over: mv \(path) \(path).broken"
    case .newer(let path, let version):
      "\(path): version \(version) was written by a later fixcast, this one supports "
        + "\(DecisionLedger.knownVersion); install the later version"
    case .busy(let path): "\(path): another program has held the lock for too long"
    }
  }
}
