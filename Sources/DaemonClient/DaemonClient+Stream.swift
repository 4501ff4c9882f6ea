// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import DaemonProtocol
internal import NIOCore
internal import NIOHTTP1

/// Following the daemon's stream.
extension DaemonClient {
  /// Takes the events of one connection until it ends, or nothing has come on it for too long.
  func stream(
    _ request: DaemonRequest, _ take: @escaping @Sendable (DaemonEvent) -> Void
  ) async throws(DaemonClientError) {
    let response = try await send(
      request, deadline: .now() + .seconds(StreamSilence.answerSeconds))
    guard response.status == .ok else {
      _ = try await Self.body(of: response)
      return
    }
    let declared = response.headers.first(name: DaemonHeartbeat.field)
    let watch = SilenceWatch(
      StreamSilence(heartbeatSeconds: DaemonHeartbeat.seconds(declared)), clock: silenceClock)
    let failure = await withTaskGroup(of: End.self) { group in
      group.addTask {
        do throws(DaemonClientError) { try await read(response.body, watch, take) } catch {
          return .over(error)
        }
        return .over(nil)
      }
      group.addTask { await watch.waitUntilSilent() ? .over(.silent) : .unwatched }
      for await end in group {
        guard case .over(let failure) = end else { continue }
        group.cancelAll()
        return failure
      }
      return nil as DaemonClientError?
    }
    if let failure { throw failure }
  }

  private enum End {
    case over(DaemonClientError?)
    /// Nothing is declared that its silence could be measured by.
    case unwatched
  }

  private func read(
    _ body: HTTPClientResponse.Body, _ watch: SilenceWatch, _ take: (DaemonEvent) -> Void
  ) async throws(DaemonClientError) {
    var parser = ServerSentEventParser()
    var failure: DaemonClientError?
    do {
      for try await piece in body {
        watch.hear()
        try parser.append(piece.readableBytesView) { event in
          do throws(DaemonClientError) { take(try read(event.data)) } catch { failure = error }
        }
        if let failure { throw failure }
      }
    } catch let error as DaemonClientError {
      throw error
    } catch {
      throw .disconnected("the stream broke off: \(error)")
    }
  }
}
