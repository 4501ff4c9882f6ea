// SPDX-License-Identifier: Apache-2.0

import Daemon
import Glibc
import Pipeline
import Plugins
import Positioning
import Receivers
import SystemSupport

/// A sink that draws the live view in place.
///
/// Redraws on events and once a second to update the ages, at most every 100 milliseconds.
actor WatchScreen: Sink {
  nonisolated let name = "screen"
  private static let pause = Duration.milliseconds(100)

  private let terminal: Terminal
  private let keys: TerminalKeys?
  private let sentences: RawSentences?
  private let received: @Sendable () async -> ReceivedLines?
  private let countsInterval: Duration
  private let usesColor: Bool
  private var display = WatchDisplay()
  private var keyParser = WatchKeys()
  private var showsPlot = false
  private var state: WatchState
  private var frame = ScreenFrame()
  private var settings: termios?
  private var isEntered = false
  private var isEnded = false
  /// The error of the first failed write to the terminal.
  private(set) var failure: DescriptorOutput.Failure?
  private let wakes: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation

  /// Creates a screen.
  ///
  /// Without `keys`, the screen ignores typed keys. Without `sentences`, there are no raw sentences.
  /// `received` returns the counts of the received lines, and is called once every `countsInterval`.
  init(
    terminal: Terminal, keys: TerminalKeys?, sentences: RawSentences?,
    received: @escaping @Sendable () async -> ReceivedLines?, countsInterval: Duration,
    usesColor: Bool, source: String, wantsWeather: Bool, format: ValueFormat
  ) {
    self.terminal = terminal
    self.keys = keys
    self.sentences = sentences
    self.received = received
    self.countsInterval = countsInterval
    display.hasKeys = keys != nil
    display.units = format.units
    self.usesColor = usesColor
    state = WatchState(source: source, wantsWeather: wantsWeather, now: .now())
    state.format = format
    state.allowCommand = DaemonAccess.allowCommand
    (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func receive(_ event: any PipelineEvent) async throws {
    if let failure { throw failure }
    state.handle(event, at: .now())
    wake.yield()
  }

  /// Draws until the user quits, the task is cancelled or a write fails.
  func run() async {
    let signals = TerminalSignals()
    let (typed, typing) = AsyncStream.makeStream(
      of: [UInt8].self, bufferingPolicy: .bufferingNewest(16))
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for await event in signals.events { await self.handle(event) } }
      group.addTask { [keys] in await keys?.run { typing.yield($0) } }
      group.addTask { for await bytes in typed { await self.handle(typed: bytes) } }
      group.addTask { [wake] in
        while (try? await Task.sleep(for: .seconds(1))) != nil { wake.yield() }
      }
      group.addTask { [received, countsInterval] in
        repeat {
          await self.note(await received())
        } while (try? await Task.sleep(for: countsInterval)) != nil
      }
      draw()
      for await _ in wakes {
        guard !display.isQuitting else { break }
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
    settings = terminal.hideKeys(readsKeys: keys != nil)
    write(Array(ScreenFrame.enter.utf8))
  }

  private func handle(_ event: TerminalSignals.Event) {
    switch event {
    case .resized: frame.forget()
    case .suspended:
      leave()
      TerminalSignals.stop()
    // The next draw switches to the screen again, once this program is in the foreground.
    case .resumed:
      frame.forget()
      // After a stop by SIGSTOP, the shell has restored its own settings.
      if isEntered { _ = terminal.hideKeys(readsKeys: keys != nil) }
    }
    wake.yield()
  }

  private func note(_ lines: ReceivedLines?) {
    guard let lines, state.received != lines else { return }
    state.received = lines
    wake.yield()
  }

  private func handle(typed bytes: [UInt8]) {
    for key in keyParser.keys(in: bytes) { display.press(key, showsPlot: showsPlot) }
    wake.yield()
  }

  private func draw() {
    enter()
    // If a write would block, this frame is skipped; the next frame is newer anyway.
    guard isEntered, !terminal.isInBackground, terminal.isReady else { return }
    let size = terminal.size
    let view = WatchView(
      columns: size.columns, rows: size.rows, usesColor: usesColor, display: display)
    state.sentences = sentences?.newest
    let screen = view.screen(state, now: .now(), systemTime: SystemClock.utcNow())
    showsPlot = screen.showsPlot
    let bytes = frame.bytes(showing: screen.lines, columns: size.columns)
    if !bytes.isEmpty { write(bytes) }
  }

  private func write(_ bytes: [UInt8]) {
    do throws(DescriptorOutput.Failure) { try terminal.write(bytes) } catch {
      failure = failure ?? error
      wake.yield()
    }
  }
}
