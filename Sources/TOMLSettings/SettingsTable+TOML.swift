// SPDX-License-Identifier: Apache-2.0

public import Settings
internal import TOMLKit

extension SettingsTable {
  /// The longest text that is read, in bytes: a configuration is a few kilobytes.
  public static let longestTOML = 1 << 20

  /// Reads TOML 1.0.
  ///
  /// - Parameters:
  ///   - bytes: The text, UTF-8, at most ``longestTOML`` long.
  ///   - file: What errors and origins call it.
  /// - Throws: `syntax` with line and, where it is known, column. Never tells a value.
  public init(toml bytes: [UInt8], file: String) throws(SettingsError) {
    guard bytes.count <= Self.longestTOML else {
      throw SettingsError(
        .unreadable("larger than \(Self.longestTOML) bytes, and so no configuration"),
        at: SettingOrigin(file: file))
    }
    let text = try Self.text(bytes, file)
    // Before the parser, which has no bound of its own for tables in tables.
    let outline: TOMLNode
    do throws(TOMLFault) {
      var scanner = TOMLScanner(bytes)
      outline = try scanner.outline()
    } catch {
      throw SettingsError(.syntax(error.text), at: SettingOrigin(file: file, line: error.line))
    }
    let table: TOMLTable
    do {
      table = try TOMLTable(string: text)
    } catch let error as TOMLParseError {
      throw Self.error(error, text, file)
    } catch {
      throw SettingsError(.syntax("not TOML"), at: SettingOrigin(file: file))
    }
    self = try TOMLReading(file: file).table(table, outline, path: "", line: nil)
  }

  /// The text, where it is one: the parser takes it as C does, which ends at a NUL.
  private static func text(_ bytes: [UInt8], _ file: String) throws(SettingsError) -> String {
    func fault(at offset: Int, _ text: String) -> SettingsError {
      let line = 1 + bytes[..<offset].count { $0 == UInt8(ascii: "\n") }
      return SettingsError(.syntax(text), at: SettingOrigin(file: file, line: line))
    }
    if let offset = bytes.firstIndex(of: 0) {
      throw fault(at: offset, "a NUL byte; a configuration is text")
    }
    do throws(UTF8.ValidationError) {
      return String(copying: try UTF8Span(validating: bytes.span))
    } catch {
      throw fault(at: error.byteOffsets.lowerBound, "not UTF-8; save the file as UTF-8")
    }
  }

  private static func error(
    _ error: TOMLParseError, _ text: String, _ file: String
  ) -> SettingsError {
    let begin = error.source.begin
    let lines = text.utf8.split(
      separator: UInt8(ascii: "\n"), maxSplits: begin.line, omittingEmptySubsequences: false)
    let line = begin.line > 0 && begin.line <= lines.count ? Substring(lines[begin.line - 1]) : ""
    return SettingsError(
      .syntax(TOMLMessage.text(error.description, line: line)),
      at: SettingOrigin(
        file: file, line: begin.line > 0 ? begin.line : nil,
        column: begin.column > 0 ? begin.column : nil))
  }
}
