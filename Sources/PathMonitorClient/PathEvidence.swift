// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Lets the requests that are made anyway tell of the path that they take.
///
/// Asks nobody by itself: what a monitor says is a hint, what becomes of a request is the truth.
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
  }

  private let source: PathMonitorClient
  private let state = Mutex(State())

  /// Makes evidence without any request.
  ///
  /// - Parameter monitor: Where paths come from.
  public init(_ monitor: PathMonitorClient) { source = monitor }

  /// The same paths, with ``NetworkPath/verified`` where a request has told since the last change.
  public var monitor: PathMonitorClient { PathMonitorClient { self.listen() } }

  /// Takes note of a request that begins.
  ///
  /// - Returns: To be told what became of it; one whose end says nothing of the path is not told.
  public func beginRequest() -> @Sendable (NetworkPath.Verification) -> Void {
    let numbers = state.withLock { $0.listeners.mapValues(\.path.number) }
    return { [weak self] verification in
      self?.state.withLock { state in
        for (id, number) in numbers {
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
        self.state.withLock { $0.listeners[id]?.publish { $0.handle(path) } }
      }
      continuation.finish()
      self.state.withLock { state in _ = state.listeners.removeValue(forKey: id) }
    }
    // Not the lock: this runs within the cancellation of whoever listens, whom something may be
    // given under the lock at the moment, and that waits until the cancellation is done.
    continuation.onTermination = { _ in task.cancel() }
    return stream
  }
}
