// SPDX-License-Identifier: Apache-2.0

package import SystemSupport

/// Why answers cannot be read or written; the file stays as it was.
package enum DecisionStoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The system does not let us.
  case file(FileFailure)
  /// It is no store, or a broken one.
  case corrupt(path: String, detail: String)
  case newer(path: String, version: Int)
  case busy(path: String)

  /// Whether it is for somebody else to do.
  package var isPermission: Bool {
    if case .file(let failure) = self { failure.isPermission } else { false }
  }

  /// Whether it may pass by itself, with the file as it is.
  var isPassing: Bool { if case .file(let failure) = self { failure.isPassing } else { false } }

  package var description: String {
    switch self {
    case .file(let failure): "\(failure)"
    case .corrupt(let path, let detail):
      "\(path): \(detail); mend it, or move it away and answer anew: mv \(path) \(path).broken"
    case .newer(let path, let version):
      "\(path): version \(version) is of a later fixcast, this one knows "
        + "\(DecisionLedger.knownVersion); install that one again"
    case .busy(let path): "\(path): another program has held the lock for too long"
    }
  }
}
