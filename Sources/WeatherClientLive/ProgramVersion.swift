// SPDX-License-Identifier: Apache-2.0

/// The version of the program, as shown to users and sent to weather providers.
public enum ProgramVersion {
  /// The version.
  public static let text = "0.1.0"
  /// The `User-Agent` header without the operator's contact.
  static let userAgent = "fixcast/\(text)"
}
