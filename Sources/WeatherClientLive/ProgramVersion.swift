// SPDX-License-Identifier: Apache-2.0

/// The version of the program, as it says it to people and to providers.
public enum ProgramVersion {
  /// The version.
  public static let text = "0.1.0"
  /// What goes before whom to turn to in `User-Agent`.
  static let userAgent = "fixcast/\(text)"
}
