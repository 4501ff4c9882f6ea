// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LocationServices
internal import SystemSupport

/// A file whose first line is a secret.
package struct CredentialFile: Hashable, Sendable {
  /// In bytes.
  static let longest = 4096

  package let path: String
  /// Whether the service manager put it there with `LoadCredential=`.
  package let isPassed: Bool

  /// Resolves an absolute path, a credential's name or `$CREDENTIALS_DIRECTORY/NAME`.
  ///
  /// `nil` for a credential if none was passed, and for a name that leaves the folder.
  package init?(_ name: String, folder: String?) {
    let variable = ["$CREDENTIALS_DIRECTORY/", "${CREDENTIALS_DIRECTORY}/"].first(
      where: name.hasPrefix)
    let rest = String(name.dropFirst(variable?.count ?? 0))
    if rest.hasPrefix("/"), variable == nil {
      path = rest
      isPassed = folder.map { rest.hasPrefix($0 + "/") && !rest.contains("/../") } ?? false
    } else {
      guard let folder, !rest.isEmpty, !rest.contains("/"), rest != "..", rest != "." else {
        return nil
      }
      path = "\(folder)/\(rest)"
      isPassed = true
    }
  }

  /// The error for permissions that let others read the secret; `nil` if only the owner can.
  ///
  /// The group may read a passed credential: its mode shows the mask of an access list.
  package func fault(ofMode mode: UInt32) -> String? {
    guard mode & (isPassed ? 0o007 : 0o077) != 0 else { return nil }
    let who = mode & 0o007 != 0 ? "everybody" : "its group"
    return "\(path): \(who) can get at the secret in it; mend it with: chmod 600 \(path)"
  }

  /// Reads the first line without the blanks around it.
  package func read() throws(CredentialFault) -> Secret {
    let bytes: [UInt8]
    do {
      bytes = try BoundedFile.read(path, limit: Self.longest)
    } catch {
      throw CredentialFault(
        text: "\(path): cannot be read: \(SystemCallFailure.text(for: error.number))")
    }
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw CredentialFault(text: "\(path): cannot be read: \(SystemCallFailure.text(for: errno))")
    }
    if let fault = fault(ofMode: status.st_mode & 0o777) { throw CredentialFault(text: fault) }
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    let text = String(decoding: line.drop(while: isBlank), as: UTF8.self)
    let end = text.utf8.lastIndex { !isBlank($0) }
    guard let end else { throw CredentialFault(text: "\(path): nothing is in its first line") }
    return Secret(String(text[...end]))
  }
}

package struct CredentialFault: Error, Hashable, Sendable, CustomStringConvertible {
  package let text: String
  package var description: String { text }
}
