import AudioModel
import Testing

@testable import GuardCore

/// What the reasons for a hold mean, and what the user reads of them.
struct HoldReasonTests {
    private static let reasons: [(reason: Hold.Reason, words: String, nature: Hold.Reason.Nature)] = [
        (.lost(uid: "x", name: "Headset\n"), "Headset\u{FFFD} left", .lasting),
        (.returnedLate(uid: "x", name: "Headset\n"), "Headset\u{FFFD} left and is back", .lasting),
        (.idle(uid: "x", name: "Headset\n"), "Headset\u{FFFD} left", .brief),
        (.call(stream: 1, name: "phone\n"), "phone\u{FFFD} began a call", .lasting),
        (.newer(.test("mpv\n", 1)), "mpv\u{FFFD} began to play", .lasting),
        (.switched(sink: "card"), "its card is switched", .brief),
        (.focus(.claim(serial: 1), name: "reader\n", reason: nil), "reader\u{FFFD} asked for it", .lasting),
        (
            .focus(.bus(cookie: 1), name: "reader", reason: "a\nmessage"), "reader asked for it (a\u{FFFD}message)",
            Hold.Reason.Nature(outlivesConnection: true, outlivesGuard: false)
        ),
        (
            .focus(.capture(stream: 1), name: "studio", reason: nil), "studio asked for it",
            Hold.Reason.Nature(outlivesConnection: false, outlivesGuard: false)
        ),
    ]

    @Test func reasons_haveTheWordsAndTheNatureOfTheirRule() {
        for (reason, words, nature) in Self.reasons {
            #expect(reason.words == words)
            #expect(reason.nature == nature)
        }
    }

    /// The user reads once that the output is back.
    @Test func outputReturnsLateTwice_isOneReason() {
        var machine = ModelMachine(options: GuardOptions())
        machine.plug(.speaker)
        machine.plug(.headphones)
        machine.play(.mpv)
        machine.settle()
        for _ in 0..<2 {
            machine.unplug("headphones")
            machine.wait(seconds: 601)
            machine.plug(.headphones)
            machine.wait(seconds: 1)
        }
        let late = Hold.Reason.returnedLate(uid: "headphones", name: "headphones")
        #expect(machine.guardMachine.held.map(\.hold.reasons) == [[late]])
    }
}
