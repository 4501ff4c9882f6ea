// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LocationServices
public import Settings

/// A file that a secret lies in.
public struct CredentialFile: Hashable, Sendable {
  /// The longest secret, in bytes.
  static let longest = 4096

  /// Where it is.
  public let path: String
  /// Whether the service manager put it there, for nobody else to read.
  public let isPassed: Bool

  /// Finds the file that a configuration names.
  ///
  /// `nil` for a credential where none was passed, and for a name that leads elsewhere.
  ///
  /// - Parameters:
  ///   - name: An absolute path; else the name of a credential, also as
  ///     `$CREDENTIALS_DIRECTORY/NAME`.
  ///   - folder: The environment's `CREDENTIALS_DIRECTORY`; `nil` where nothing was passed.
  public init?(_ name: String, folder: String?) {
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

  /// What is wrong with a file's permissions, and the command that mends it.
  ///
  /// - Parameter mode: The permissions, as stat(2) gives them.
  /// - Returns: `nil` where only its owner can read it. A group is let through where the service
  ///   manager passed the file: its mode shows the mask of an access list then.
  public func fault(ofMode mode: UInt32) -> String? {
    guard mode & (isPassed ? 0o007 : 0o077) != 0 else { return nil }
    let who = mode & 0o007 != 0 ? "everybody" : "its group"
    return "\(path): \(who) can get at the secret in it; mend it with: chmod 600 \(path)"
  }

  /// Reads the secret: the file's first line, without blanks around it.
  ///
  /// - Returns: The secret.
  /// - Throws: The problem, without a place: that it cannot be read, that others can read it, or
  ///   that there is nothing in it.
  public func read() throws(CredentialFault) -> Secret {
    let bytes: [UInt8]
    do {
      bytes = try BoundedFile.read(path, limit: Self.longest)
    } catch {
      throw CredentialFault(text: "\(path): cannot be read: \(FileFailure.text(of: error.number))")
    }
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw CredentialFault(text: "\(path): cannot be read: \(FileFailure.text(of: errno))")
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

/// Why there is no secret.
public struct CredentialFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// Which file, what is wrong, and what mends it; never anything of what is in it.
  public let text: String
  /// The same.
  public var description: String { text }
}
