// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Where a service's log goes.
public enum LogDestination: Equatable, Sendable {
  /// To the journal, with fields.
  case journal
  /// To standard error, which the service manager reads line by line.
  case managedStandardError
  /// To standard error, which people read.
  case standardError

  /// Chooses the destination.
  ///
  /// The service manager says in `JOURNAL_STREAM` which file standard error was when it started the
  /// service. Only where it still is that file does standard error lead to the journal; a person who
  /// has redirected it wants to read it there.
  ///
  /// Source: systemd.exec(5).
  ///
  /// - Parameters:
  ///   - environment: The value of a variable, `nil` where it is not set.
  ///   - standardError: Device and inode of standard error, `nil` where it is closed.
  ///   - isJournalThere: Whether the journal's socket can be written to.
  public init(
    environment: (String) -> String? = ServiceNotifier.environment,
    standardError: (device: UInt64, inode: UInt64)? = Self.standardErrorFile(),
    isJournalThere: Bool = Self.isJournalThere()
  ) {
    let parts = environment("JOURNAL_STREAM")?.split(separator: ":").compactMap { UInt64($0) }
    guard let parts, parts.count == 2, let standardError,
      (parts[0], parts[1]) == (standardError.device, standardError.inode)
    else {
      self = .standardError
      return
    }
    self = isJournalThere ? .journal : .managedStandardError
  }

  /// Device and inode of standard error.
  ///
  /// - Returns: `nil` where it is closed.
  public static func standardErrorFile() -> (device: UInt64, inode: UInt64)? {
    var status = stat()
    guard fstat(STDERR_FILENO, &status) == 0 else { return nil }
    return (UInt64(status.st_dev), UInt64(status.st_ino))
  }

  /// Whether the journal's socket can be written to.
  public static func isJournalThere() -> Bool { access(JournalLogHandler.address, W_OK) == 0 }
}
