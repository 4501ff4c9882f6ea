// SPDX-License-Identifier: Apache-2.0

/// The version of the program, as it says it to people and to providers.
public enum ProgramVersion {
  /// The version.
  public static let text = "0.1.0"
  /// The first part of `User-Agent`, before the contact.
  static let userAgent = "fixcast/\(text)"
}
