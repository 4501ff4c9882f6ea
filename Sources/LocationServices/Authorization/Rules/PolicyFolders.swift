// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SystemSupport

/// The folders of the policy files.
package struct PolicyFolders: Hashable, Sendable {
  /// The maximum number of files in a folder, more than any board needs.
  static let maxFiles = 256
  /// The maximum size of a file, enough for hundreds of rules.
  static let maxBytesPerFile = 65_536

  /// The rules of the administrator: locks and defaults.
  package var administrator: String
  /// The rules of the system image or a package: defaults only.
  package var image: String

  package init(
    administrator: String = "/etc/fixcast/policy.d", image: String = "/usr/lib/fixcast/policy.d"
  ) {
    self.administrator = administrator
    self.image = image
  }

  /// Reads every `*.conf` in both folders, in the order of their names.
  ///
  /// A missing folder contains no rules. A folder or file that cannot be read is a problem, because
  /// it may contain a lock. A folder or file that other users can write is also a problem (see
  /// `RuleOwnership`), because other users could allow a program or delete a lock. A file below
  /// /etc replaces the image's file with the same name, and an empty file disables it.
  package func read() -> PolicyRules { read(userID: UserNames.number) }

  func read(userID: (String) -> UInt32?) -> PolicyRules {
    var rules = PolicyRules()
    let administratorNames = names(in: administrator, &rules)
    for name in administratorNames {
      rules.administrator += file("\(administrator)/\(name)", true, userID, &rules)
    }
    for name in names(in: image, &rules) where !administratorNames.contains(name) {
      rules.image += file("\(image)/\(name)", false, userID, &rules)
    }
    return rules
  }

  private func file(
    _ path: String, _ allowsLocks: Bool, _ userID: (String) -> UInt32?,
    _ rules: inout PolicyRules
  ) -> [PolicyRule] {
    do {
      var fault: String?
      let bytes = try BoundedFile.read(path, limit: Self.maxBytesPerFile) {
        fault = RuleOwnership.fault(of: $0, path: path)
      }
      for folder in RuleOwnership.folders(behind: path) where fault == nil {
        let reason = RuleOwnership.fault(ofFolder: folder)
        fault = reason.map { "is a link into \(folder), which \($0)" }
      }
      if let fault {
        rules.problems.append(PolicyProblem(place: PolicyPlace(file: path), message: fault))
        return []
      }
      return withoutActuallyEscaping(userID) { userID in
        let parser = PolicyParser(allowsLocks: allowsLocks, userID: userID)
        let (parsed, problems) = parser.parse(bytes, file: path)
        rules.problems += problems
        return parsed
      }
    } catch {
      rules.add(PolicyProblem(path, error), isTemporary: error.isTemporary)
      return []
    }
  }

  private func names(in folder: String, _ rules: inout PolicyRules) -> [String] {
    if let fault = RuleOwnership.fault(ofFolder: folder) {
      rules.problems.append(PolicyProblem(place: PolicyPlace(file: folder), message: fault))
    }
    do {
      let names = try FolderListing.names(in: folder, limit: Self.maxFiles) {
        $0.hasSuffix(".conf") && !$0.hasPrefix(".")
      }
      // Sorted by bytes, independently of the locale.
      return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    } catch {
      if !error.isMissing {
        rules.add(PolicyProblem(folder, error), isTemporary: error.isTemporary)
      }
      return []
    }
  }
}

extension PolicyProblem {
  fileprivate init(_ path: String, _ failure: FileFailure) {
    place = PolicyPlace(file: path)
    message = "\(failure.call): \(SystemCallFailure.text(for: failure.number))"
  }
}
