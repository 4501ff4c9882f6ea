// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import Receivers
internal import Synchronization

/// The sources of a group that the group does not open itself, as long as they are asked for.
final class HandedInSources: Sendable {
  private struct State {
    var sources: [(specification: SourceSpecification, source: AccompaniedSource)] = []
    /// What those have read that are not asked for any more.
    var pastCounters = NMEACounters()
  }

  private let state = Mutex(State())

  /// What all have read that were ever asked for.
  var counters: NMEACounters {
    state.withLock { state in
      state.sources.reduce(into: state.pastCounters) { $0 += $1.source.session.counters() }
    }
  }

  /// Takes what is asked for from here on.
  ///
  /// - Parameters:
  ///   - specifications: What is asked for.
  ///   - make: Makes one that was not asked for before.
  /// - Returns: The sources in the same order; one that was asked for before is the very same.
  /// - Throws: Where one cannot be had; then nothing has changed.
  func take(
    _ specifications: [SourceSpecification],
    _ make: (SourceSpecification) throws -> SourceSession
  ) throws -> [AccompaniedSource] {
    try state.withLock { state in
      var before = state.sources
      let sources = try specifications.map { specification in
        if let index = before.firstIndex(where: { $0.specification == specification }) {
          return before.remove(at: index)
        }
        return (specification, AccompaniedSource(try make(specification)))
      }
      for (_, source) in before { state.pastCounters += source.session.counters() }
      state.sources = sources
      return sources.map(\.source)
    }
  }
}

/// A source together with what runs beside it for as long.
final class AccompaniedSource: FixSource {
  let session: SourceSession

  init(_ session: SourceSession) { self.session = session }

  var name: String { session.source.name }

  func run(
    delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
  ) async throws(any Error) {
    try await withThrowingTaskGroup(of: Bool.self) { [session] group in
      group.addTask {
        try await session.source.run(delivering: deliver)
        return true
      }
      group.addTask {
        await session.companion()
        return false
      }
      while let isOver = try await group.next(), !isOver {}
      group.cancelAll()
    }
  }
}
