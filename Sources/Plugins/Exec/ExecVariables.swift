// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LocationServices
internal import Pipeline
internal import SystemSupport

// Variables that a program gets from files, such as secrets.
extension ExecCommand {
  /// The maximum size of a file with variables, in bytes; equals `CredentialFile.maxBytes`.
  private static let maxBytes = 4096

  /// Returns all variables of the program, including those from files.
  ///
  /// - Throws: `PluginError` with the file and the line, but never with the file's content.
  func allVariables() throws(PluginError) -> [String: String] {
    var all = variables
    for name in environmentFiles {
      let path = Self.path(of: name)
      let bytes: [UInt8]
      do { bytes = try BoundedFile.read(path, limit: Self.maxBytes) } catch {
        throw PluginError(
          .transient(), path, why: "cannot be read: \(SystemCallFailure.text(for: error.number))")
      }
      let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      for (number, line) in zip(1..., lines) {
        let text = String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
        if text.isEmpty || text.hasPrefix("#") { continue }
        guard let (name, value) = Self.variable(text) else {
          throw PluginError(
            .transient(), path,
            why: "line \(number) is not NAME=value; the file is read again at the next start")
        }
        all[name] = value
      }
    }
    return all
  }

  /// Splits a variable into name and value; `nil` if it has no name.
  static func variable(_ text: String) -> (name: String, value: String)? {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty else { return nil }
    return (String(parts[0]), String(parts[1]))
  }

  /// Returns the path of a file; a credential is in the service manager's credentials folder.
  private static func path(of name: String) -> String {
    let variables = ["$CREDENTIALS_DIRECTORY/", "${CREDENTIALS_DIRECTORY}/"]
    let prefix = variables.first(where: name.hasPrefix)
    if prefix == nil, name.hasPrefix("/") { return name }
    let folder = getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) } ?? ""
    return "\(folder)/\(name.dropFirst(prefix?.count ?? 0))"
  }
}
