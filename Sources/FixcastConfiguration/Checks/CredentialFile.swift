// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LocationServices
internal import SystemSupport

/// A file whose first line is a secret.
package struct CredentialFile: Hashable, Sendable {
  /// The maximum size in bytes.
  static let maxBytes = 4096

  package let path: String
  /// Whether the service manager provided the file with `LoadCredential=`.
  package let isCredential: Bool

  /// Resolves an absolute path, a credential's name or `$CREDENTIALS_DIRECTORY/NAME`.
  ///
  /// Returns `nil` for a credential if there is no credentials folder, and for a name that leads
  /// out of that folder.
  package init?(_ name: String, folder: String?) {
    let variable = ["$CREDENTIALS_DIRECTORY/", "${CREDENTIALS_DIRECTORY}/"].first(
      where: name.hasPrefix)
    let rest = String(name.dropFirst(variable?.count ?? 0))
    if rest.hasPrefix("/"), variable == nil {
      path = rest
      isCredential = folder.map { rest.hasPrefix($0 + "/") && !rest.contains("/../") } ?? false
    } else {
      guard let folder, !rest.isEmpty, !rest.contains("/"), rest != "..", rest != "." else {
        return nil
      }
      path = "\(folder)/\(rest)"
      isCredential = true
    }
  }

  /// Returns why the permissions of a file do not keep a secret; `nil` if they do.
  ///
  /// Group permissions are allowed for a credential of the service manager: its group bits show the
  /// mask of an access control list, not the access of the group.
  private func reason(ofMode mode: UInt32) -> String? {
    guard mode & (isCredential ? 0o007 : 0o077) != 0 else { return nil }
    let users = mode & 0o007 != 0 ? "all users" : "its group"
    return "the secret in it is accessible to \(users); fix it with: sudo chmod 600 \(path)"
  }

  /// Reads the file.
  package func bytes() throws(CredentialFault) -> [UInt8] {
    let bytes: [UInt8]
    do { bytes = try BoundedFile.read(path, limit: Self.maxBytes) } catch {
      throw fault(of: error.number)
    }
    var status = stat()
    guard stat(path, &status) == 0 else { throw fault(of: errno) }
    if let reason = reason(ofMode: status.st_mode & 0o777) {
      throw CredentialFault(path: path, reason: reason)
    }
    return bytes
  }

  private func fault(of number: Int32) -> CredentialFault {
    CredentialFault(
      path: path, reason: "cannot be read: \(SystemCallFailure.text(for: number))",
      isDenied: number == EACCES)
  }

  /// Reads the first line, without leading and trailing blanks.
  package func read() throws(CredentialFault) -> Secret {
    let bytes = try bytes()
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    let text = String(decoding: line.drop(while: isBlank), as: UTF8.self)
    let end = text.utf8.lastIndex { !isBlank($0) }
    guard let end else { throw CredentialFault(path: path, reason: "its first line is empty") }
    return Secret(String(text[...end]))
  }
}

package struct CredentialFault: Error, Hashable, Sendable, CustomStringConvertible {
  package let path: String
  package let reason: String
  /// Whether this user lacks the permission to read the file.
  package var isDenied = false
  package var description: String { "\(path): \(reason)" }
}
