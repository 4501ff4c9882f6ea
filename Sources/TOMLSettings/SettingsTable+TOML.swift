// SPDX-License-Identifier: Apache-2.0

public import Settings

extension SettingsTable {
  /// The longest text that is read, in bytes: a configuration is a few kilobytes.
  public static let longestTOML = 1 << 20

  /// Reads TOML 1.0, dates and times excepted: no key takes one.
  ///
  /// - Parameters:
  ///   - bytes: The text, UTF-8, at most `longestTOML` long.
  ///   - file: What errors and origins call it.
  /// - Throws: `syntax` with line and column, `unreadable` for what is too long. Tells keys and
  ///   never a value, which may be a secret.
  public init(toml bytes: [UInt8], file: String) throws(SettingsError) {
    guard bytes.count <= Self.longestTOML else {
      throw SettingsError(
        .unreadable("larger than \(Self.longestTOML) bytes, and so no configuration"),
        at: SettingOrigin(file: file))
    }
    do throws(TOMLFault) {
      var parser = TOMLParser(try TOMLCursor(bytes))
      self = try parser.parse().settings(path: "", file: file)
    } catch {
      throw SettingsError(
        .syntax(error.text),
        at: SettingOrigin(file: file, line: error.line, column: error.column))
    }
  }
}
