// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Checks the files in `credential` keys, and reports secrets that all users can read.
struct SecretCheck {
  /// The value of the environment variable `CREDENTIALS_DIRECTORY`.
  let credentialsFolder: String?
  /// Whether this process is the service, which reads the files itself.
  let isService: Bool

  func findings(_ table: SettingsTable, _ declarations: [SettingDeclaration]) -> [SecretFinding] {
    declarations.flatMap { declaration -> [SecretFinding] in
      guard let entry = table[declaration.name] else { return [] }
      let faults: [Fault]
      switch (declaration.kind, entry.value) {
      case (.table(let inner), .table(let table)): return findings(table, inner)
      case (.credential, .string(let name)): faults = [fault(of: name)].compactMap { $0 }
      case (.list(of: .credential), .list(let values)):
        faults = values.compactMap(\.asString).compactMap(fault)
      default:
        // The group may read the file, because the daemon is a member of the group.
        guard declaration.isSecret, Self.hasSecret(entry.value), let file = entry.origin?.file,
          Self.isReadableByAll(file)
        else { return [] }
        let key = declarations.first(where: \.holdsCredentials)?.name
        faults = [
          Fault(
            kind: .configuration,
            "all users can read the secret in \(file); move it to a file that only the daemon can "
              + "read" + (key.map { ", and name that file in \($0)" } ?? "")
              + ", or fix it with: sudo chgrp fixcast \(file) && sudo chmod 640 \(file)")
        ]
      }
      return faults.map {
        SecretFinding(kind: $0.kind, error: table.error(.conflict($0.text), in: declaration.name))
      }
    }
  }

  private struct Fault {
    var kind: SecretFinding.Kind
    var text: String

    init(kind: SecretFinding.Kind = .file, _ text: String) {
      (self.kind, self.text) = (kind, text)
    }
  }

  private func fault(of name: String) -> Fault? {
    if !isService, credentialsFolder == nil, Self.isCredential(name) {
      return Fault(
        kind: .warning,
        "is not checked, because only the service can see it; its unit needs LoadCredential= (see: "
          + "systemctl cat fixcast)")
    }
    guard let file = CredentialFile(name, folder: credentialsFolder) else {
      return Fault(
        credentialsFolder == nil
          ? "the service manager passed no credentials; use an absolute path, or add "
            + "LoadCredential= to the unit"
          : "not a valid credential name")
    }
    do throws(CredentialFault) {
      _ = try file.read()
    } catch {
      guard error.isDenied else { return Fault("\(error)") }
      if isService { return Fault("\(error); allow it with: \(Self.owning(file.path))") }
      return geteuid() == 0
        ? Fault("\(error)")
        : Fault(
          kind: .warning,
          "\(file.path) is not checked, because this user may not read it; try: sudo fixcast "
            + "check-config")
    }
    guard !isService, geteuid() == 0, !file.isCredential, let owner = Self.foreignOwner(file.path)
    else { return nil }
    return Fault(
      kind: .warning,
      "only \(owner) may read \(file.path), but the service runs as fixcast; allow it with: "
        + Self.owning(file.path))
  }

  private static func owning(_ path: String) -> String { "sudo chown fixcast \(path)" }

  /// Whether a name or a path is that of a credential of the service manager.
  private static func isCredential(_ name: String) -> Bool {
    !name.hasPrefix("/") || name.hasPrefix("/run/credentials/")
  }

  /// Returns the name of a file's owner; `nil` if it is the service's user, or if there is no such user.
  private static func foreignOwner(_ path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0, let service = getpwnam("fixcast")?.pointee.pw_uid,
      status.st_uid != service
    else { return nil }
    return getpwuid(status.st_uid).map { String(cString: $0.pointee.pw_name) }
      ?? "user \(status.st_uid)"
  }

  /// Whether a value holds a secret; environment variables without secrets need no protection.
  private static func hasSecret(_ value: SettingValue) -> Bool {
    guard case .list(let values) = value else { return true }
    return values.compactMap(\.asString).contains(where: SecretVariable.isLikely)
  }

  private static func isReadableByAll(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IROTH != 0
  }
}

/// An error of a secret.
struct SecretFinding {
  enum Kind {
    /// A secret in a configuration file that others can read. The configuration is not used.
    case configuration
    /// A file with a secret, which nothing uses.
    case file
    /// A file that the service may be able to use all the same.
    case warning
  }

  var kind: Kind
  var error: SettingsError
}

extension SettingDeclaration {
  /// Whether the key names files with secrets.
  fileprivate var holdsCredentials: Bool {
    switch kind {
    case .credential, .list(of: .credential): true
    default: false
    }
  }
}
