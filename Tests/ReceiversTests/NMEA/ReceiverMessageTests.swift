// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Receivers

/// The statements of receivers about themselves: the state of the antenna, errors and warnings.
@Suite struct ReceiverMessageTests {
  private func messages(_ sentences: String...) -> [String] {
    var fixture = DecoderFixture(.live)
    fixture.send(sentences)
    return fixture.messages.map { "\($0)" }
  }

  @Test func `errors, warnings and the state of the antenna are delivered, notices are not`() {
    #expect(
      messages(
        "GPTXT,01,01,00,txbuf alloc", "GNTXT,01,01,01,NMEA unknown msg",
        "GPTXT,01,01,02,u-blox ag - www.u-blox.com", "GPTXT,01,01,02,ANTSTATUS=SHORT",
        "GPTXT,01,01,07,user", "PGTOP,11,2", "PCD,11,2", "PQTMANTENNASTATUS,3,1,1,1") == [
          #"the receiver reports the error "txbuf alloc""#,
          #"the receiver reports the warning "NMEA unknown msg""#,
          "the receiver reports a short circuit of its antenna",
          "the receiver uses its internal antenna", "the receiver uses an external antenna",
          "the receiver reports a good antenna",
        ])
  }

  @Test func `a repeated statement is delivered again after a minute, and a change at once`() {
    var fixture = DecoderFixture(.live)
    for second in 0..<130 {
      fixture.send("GPTXT,01,01,02,ANTSTATUS=\(second == 125 ? "OK" : "OPEN")")
      fixture.send("GPTXT,01,01,01,low memory")
      fixture.pause(milliseconds: 990)
    }
    let antenna = fixture.messages.filter { $0.kind == .antenna }
    #expect(antenna.map(\.antenna) == [.open, .open, .open, .good, .open])
    #expect(antenna.map(\.isRepeated) == [false, true, true, false, false])
    let warnings = fixture.messages.filter { $0.kind == .warning }
    #expect(warnings.map(\.isRepeated) == [false, true, true])
    #expect(fixture.messages.allSatisfy { $0.source == "test" && $0.receivedAt != nil })
  }

  @Test func `a receiver that always sends new texts causes at most eight messages a minute`() {
    var fixture = DecoderFixture(.live)
    for number in 0..<1000 { fixture.send("GPTXT,01,01,00,fault \(number)") }
    #expect(fixture.messages.count == 8)
    fixture.pause(milliseconds: 61_000)
    for number in 1000..<1100 { fixture.send("GPTXT,01,01,00,fault \(number)") }
    #expect(fixture.messages.count == 16)
  }

  @Test func `a loose antenna plug causes at most eight messages a minute`() {
    var fixture = DecoderFixture(.live)
    for second in 0..<120 {
      fixture.send("GPTXT,01,01,02,ANTSTATUS=\(second.isMultiple(of: 2) ? "OK" : "OPEN")")
      fixture.pause(milliseconds: 995)
    }
    #expect(fixture.messages.count == 16)
    #expect(fixture.messages.allSatisfy { $0.kind == .antenna })
  }

  @Test func `the newest statements of each receiver are in the status of the sources`() {
    var fixture = SupervisorFixture([
      .serial(devnode: "/dev/a", baud: nil, requiresValidation: false)
    ])
    let run = fixture.run(of: "/dev/a")
    fixture.receive(.message(ReceiverMessage(antenna: .good)), from: run)
    for number in 0..<6 {
      fixture.receive(.message(ReceiverMessage(.warning, "w\(number)")), from: run)
    }
    fixture.receive(.message(ReceiverMessage(antenna: .shorted)), from: run)
    let messages = fixture.diagnosis.messages
    #expect(messages.map(\.antenna) == [.shorted, nil, nil, nil, nil])
    #expect(messages.map(\.text) == ["", "w2", "w3", "w4", "w5"])
    #expect(messages.allSatisfy { $0.source == "/dev/a" })
    fixture.receive(.fix(SupervisorFixture.fix("/dev/a", at: 0, mode: .none)), from: run)
    let explanation = fixture.diagnosis.noFix
    #expect(explanation?.message?.antenna == .shorted)
  }
}
