// SPDX-License-Identifier: Apache-2.0

internal import LocationServices

/// Tells that the files of a configuration may have changed.
public enum ConfigurationWatch {
  /// Watches files by the kernel's word: inotify(7).
  ///
  /// A file or folder that is not there yet is waited for. What a symbolic link points to is not
  /// watched; `SIGHUP` is for those. An editor changes a file several times when it saves it:
  /// whoever reads it in between finds it broken, keeps what runs, and is told again.
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
