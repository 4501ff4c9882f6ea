// SPDX-License-Identifier: Apache-2.0

import Daemon
import Glibc
import Pipeline
import Plugins
import Positioning
import Receivers

/// Draws a live view in place: when something comes, once a second for the ages, and not more
/// often than a reader can follow.
actor WatchScreen: Sink {
  nonisolated let name = "screen"
  private static let pause = Duration.milliseconds(100)

  private let terminal: Terminal
  private let usesColor: Bool
  private var state: WatchState
  private var frame = ScreenFrame()
  private var settings: termios?
  private var isEntered = false
  private var isEnded = false
  /// Why the terminal can no more be written to.
  private(set) var failure: DescriptorOutput.Failure?
  private let wakes: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation

  init(terminal: Terminal, usesColor: Bool, source: String, wantsWeather: Bool) {
    self.terminal = terminal
    self.usesColor = usesColor
    state = WatchState(source: source, wantsWeather: wantsWeather, now: .now())
    (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func receive(_ event: any PipelineEvent) async throws {
    if let failure { throw failure }
    state.handle(event, at: .now())
    wake.yield()
  }

  /// Draws until the task is cancelled or the terminal is gone.
  func run() async {
    let signals = TerminalSignals()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for await event in signals.events { await self.handle(event) } }
      group.addTask { [wake] in
        while (try? await Task.sleep(for: .seconds(1))) != nil { wake.yield() }
      }
      draw()
      for await _ in wakes {
        draw()
        guard failure == nil, (try? await Task.sleep(for: Self.pause)) != nil else { break }
      }
      group.cancelAll()
    }
  }

  /// Gives the terminal back as it was, for good.
  func end() {
    isEnded = true
    leave()
  }

  private func leave() {
    guard isEntered else { return }
    isEntered = false
    write(Array(ScreenFrame.leave.utf8))
    terminal.restore(settings)
  }

  /// Takes the terminal, unless it is another program's now.
  private func enter() {
    guard !isEntered, !isEnded, !terminal.isTaken else { return }
    isEntered = true
    frame.forget()
    settings = terminal.hideKeys()
    write(Array(ScreenFrame.enter.utf8))
  }

  private func handle(_ event: TerminalSignals.Event) {
    switch event {
    case .resized: frame.forget()
    case .suspended:
      leave()
      TerminalSignals.stop()
    // Drawing enters again, once the terminal is ours.
    case .resumed: break
    }
    wake.yield()
  }

  private func draw() {
    enter()
    // A view that cannot be shown now is not worth waiting for: the next is newer.
    guard isEntered, !terminal.isTaken, terminal.isReady else { return }
    let size = terminal.size
    let view = WatchView(columns: size.columns, rows: size.rows, usesColor: usesColor)
    let bytes = frame.bytes(showing: view.lines(state, now: .now()), columns: size.columns)
    if !bytes.isEmpty { write(bytes) }
  }

  private func write(_ bytes: [UInt8]) {
    do throws(DescriptorOutput.Failure) { try terminal.write(bytes) } catch {
      failure = failure ?? error
      wake.yield()
    }
  }
}
