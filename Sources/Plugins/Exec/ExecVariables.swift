// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import Glibc
internal import LocationServices
internal import Pipeline

// Variables that a program gets from files, such as secrets.
extension ExecCommand {
  /// Returns all variables of the program, including those from files.
  ///
  /// - Throws: `PluginError` with the file and the line, but never with the file's content.
  func allVariables() throws(PluginError) -> [String: String] {
    var all = variables
    for name in environmentFiles {
      let folder = getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
      guard let file = CredentialFile(name, folder: folder) else {
        throw PluginError(.transient(), name, why: "the service manager passed no such credential")
      }
      let bytes: [UInt8]
      do throws(CredentialFault) { bytes = try file.bytes() } catch {
        throw PluginError(.transient(), file.path, why: error.reason)
      }
      let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      for (number, line) in zip(1..., lines) {
        let text = String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
        if text.isEmpty || text.hasPrefix("#") { continue }
        guard let (name, value) = Self.variable(text) else {
          throw PluginError(
            .transient(), file.path,
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
}
