// SPDX-License-Identifier: Apache-2.0

internal import LocationServices

/// Tells that the files of a configuration may have changed.
public enum ConfigurationWatch {
  /// How long files have to stay the same before they count.
  static let settling: Duration = .milliseconds(50)
  /// How long a file has to be gone before that counts: there are editors that move it away, or remove
  /// it, before they write the new one.
  static let absence: Duration = .seconds(1)
  /// A file that is written all the time is read in the end nevertheless.
  static let mostLooks = 20

  /// Does something at first, and after each change once the files have stayed the same for 50
  /// milliseconds, or for a second where one is gone.
  ///
  /// At first, when the kernel has been asked: what changes meanwhile is told.
  /// It returns as soon as the kernel cannot tell any more, or the task is cancelled.
  ///
  /// Who saves a file mostly empties it first and writes it after that, and an empty file is in
  /// order: whoever read it in between would run without what it says. Files that do not come to
  /// rest count as they are after twenty looks, a second if none is gone.
  ///
  /// - Parameters:
  ///   - files: The files.
  ///   - clock: What that is measured by.
  ///   - perform: What is done.
  public static func afterChanges(
    of files: ConfigurationFiles, clock: any Clock<Duration> = ContinuousClock(),
    perform: @Sendable () async -> Void
  ) async {
    let changes = changes(of: files)
    await perform()
    await after(changes, of: files, clock: clock, perform: perform)
  }

  static func after(
    _ changes: AsyncStream<Void>, of files: ConfigurationFiles, clock: any Clock<Duration>,
    perform: @Sendable () async -> Void
  ) async {
    var known = files.presentPaths
    for await _ in changes {
      var seen = files.stamps
      for _ in 0..<mostLooks {
        let isLost = !Set(files.presentPaths).isSuperset(of: known)
        guard (try? await clock.sleep(for: isLost ? absence : settling)) != nil else { return }
        let before = seen
        seen = files.stamps
        if seen == before { break }
      }
      known = files.presentPaths
      await perform()
    }
  }

  /// Watches files by the kernel's word: inotify(7).
  ///
  /// A file or folder that is not there yet is waited for. What a symbolic link points to is not
  /// watched; `SIGHUP` is for those. An editor changes a file several times when it saves it:
  /// ``afterChanges(of:clock:perform:)`` waits until it has.
  ///
  /// - Parameter files: The files.
  /// - Returns: An element where something may have changed since the last; changes that come
  ///   faster than they are taken are one. Ends where the kernel cannot tell, and when the task
  ///   that iterates it is cancelled.
  public static func changes(of files: ConfigurationFiles) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let watch = FolderWatch(folders(of: files)) { event in
      switch event {
      case .changed: continuation.yield()
      case .ended: continuation.finish()
      }
    }
    guard let watch else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { _ in withExtendedLifetime(watch) {} }
    return stream
  }

  /// The folder of the main file, and the other one.
  private static func folders(of files: ConfigurationFiles) -> [FolderWatchSet.Folder] {
    let slash = files.main.lastIndex(of: "/")
    let parent = slash.map { $0 == files.main.startIndex ? "/" : String(files.main[..<$0]) } ?? "."
    let name = String(
      files.main[(slash.map { files.main.index(after: $0) } ?? files.main.startIndex)...])
    return [FolderWatchSet.Folder(path: parent, suffix: name)]
      + (files.folder.map { [FolderWatchSet.Folder(path: $0, suffix: ".toml")] } ?? [])
  }
}
