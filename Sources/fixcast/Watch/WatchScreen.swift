// SPDX-License-Identifier: Apache-2.0

import Daemon
import Glibc
import Pipeline
import Plugins
import Positioning
import Receivers

/// A sink that draws the live view in place.
///
/// Redraws on events and once a second to update the ages, at most every 100 milliseconds.
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
  /// The error of the first failed write to the terminal.
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

  /// Draws until the task is cancelled or a write fails.
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

  /// Restores the terminal; nothing is drawn afterwards.
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

  /// Switches to the alternate screen, unless another program is in the foreground.
  private func enter() {
    guard !isEntered, !isEnded, !terminal.isInBackground else { return }
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
    // The next draw switches to the screen again, once this program is in the foreground.
    case .resumed: break
    }
    wake.yield()
  }

  private func draw() {
    enter()
    // If a write would block, this frame is skipped; the next frame is newer anyway.
    guard isEntered, !terminal.isInBackground, terminal.isReady else { return }
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
