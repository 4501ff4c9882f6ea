// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Adds the results of requests to the paths of a monitor.
///
/// This class makes no requests itself; the program reports the results of its own requests.
public final class PathEvidence: Sendable {
  private struct Listener {
    var path = VerifiedPath()
    let continuation: AsyncStream<NetworkPath>.Continuation

    mutating func publish(_ change: (inout VerifiedPath) -> NetworkPath?) {
      if let path = change(&path) { continuation.yield(path) }
    }
  }

  private struct State {
    var listeners: [UInt64: Listener] = [:]
    var lastID: UInt64 = 0
    var lastPath: NetworkPath?
    var changeCount: UInt64 = 0
  }

  private let source: PathMonitorClient
  private let state = Mutex(State())

  /// Wraps a monitor.
  public init(_ monitor: PathMonitorClient) { source = monitor }

  /// A monitor with the same paths, in which ``NetworkPath/verified`` is the result of the last
  /// request since the path changed.
  public var monitor: PathMonitorClient { PathMonitorClient { self.listen() } }

  /// The number of changes of the path so far, while there were subscriptions.
  ///
  /// The result of a request is not a change.
  package var changeCount: UInt64 { state.withLock { $0.changeCount } }

  /// Records the start of a request.
  ///
  /// - Returns: A closure to call with the result of the request. Do not call the closure if
  ///   the request reveals nothing about the path.
  public func beginRequest() -> @Sendable (NetworkPath.Verification) -> Void {
    let pathNumbers = state.withLock { $0.listeners.mapValues(\.path.number) }
    return { [weak self] verification in
      self?.state.withLock { state in
        for (id, number) in pathNumbers {
          state.listeners[id]?.publish { $0.handle(verification, begunOn: number) }
        }
      }
    }
  }

  private func listen() -> AsyncStream<NetworkPath> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: NetworkPath.self, bufferingPolicy: .bufferingNewest(16))
    let id = state.withLock { state in
      state.lastID &+= 1
      state.listeners[state.lastID] = Listener(continuation: continuation)
      return state.lastID
    }
    let paths = source.networkPaths()
    let task = Task {
      for await path in paths {
        self.state.withLock { state in
          if state.lastPath != path {
            state.lastPath = path
            state.changeCount &+= 1
          }
          state.listeners[id]?.publish { $0.handle(path) }
        }
      }
      continuation.finish()
      self.state.withLock { state in _ = state.listeners.removeValue(forKey: id) }
    }
    // The closure must not take the lock: it runs while the listener is being cancelled, and
    // another thread may hold the lock while it yields to that listener and waits for the
    // cancellation to finish.
    continuation.onTermination = { _ in task.cancel() }
    return stream
  }
}
