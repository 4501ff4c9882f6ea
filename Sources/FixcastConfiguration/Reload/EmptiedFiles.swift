// SPDX-License-Identifier: Apache-2.0

public import Settings

/// Keeps what a file said in force while somebody saves it: one that said something and says nothing
/// now is an error, until somebody says that this is meant.
///
/// Whoever saves a file mostly empties it first, and some write it much later, as `tee` does with what
/// is typed; a board would let its receiver go in between. The main file is as good as emptied where
/// it is gone: it is moved about or typed anew. A file of the folder that is gone was removed: that is
/// how what it said is taken back, and it says nothing any more. An editor that puts another in its
/// place is waited for by ``ConfigurationWatch``.
public struct EmptiedFiles: Equatable, Sendable {
  /// What said something when the files were in order last.
  private var speaking: Set<String> = []

  /// Begins with files that said nothing.
  public init() {}

  /// Begins with what the files said first.
  ///
  /// - Parameter loaded: What was read.
  public init(_ loaded: ConfigurationLoader.Loaded) { speaking = loaded.speaking }

  /// Looks at what was read.
  ///
  /// - Parameters:
  ///   - read: What was read, or what is wrong with it.
  ///   - isAsked: Whether somebody asked for it, and so means what the files say.
  /// - Returns: The same; an error where it is in order and a file that said something says nothing.
  public mutating func check(
    _ read: Result<ConfigurationLoader.Loaded, SettingsErrors>, isAsked: Bool
  ) -> Result<ConfigurationLoader.Loaded, SettingsErrors> {
    guard case .success(let loaded) = read else { return read }
    var errors: [SettingsError] = []
    if !isAsked {
      if let main = loaded.emptyMain, speaking.contains(main) {
        errors.append(Self.error("is gone or says nothing", main))
      }
      errors += loaded.emptyParts.filter(speaking.contains).map {
        Self.error("says nothing any more", $0)
      }
    }
    guard errors.isEmpty else { return .failure(SettingsErrors(errors)) }
    speaking = loaded.speaking
    return read
  }

  private static func error(_ fault: String, _ file: String) -> SettingsError {
    SettingsError(
      .unreadable(
        "\(fault); where that is meant: sudo systemctl reload fixcast, or SIGHUP to fixcast run"),
      at: SettingOrigin(file: file))
  }
}
