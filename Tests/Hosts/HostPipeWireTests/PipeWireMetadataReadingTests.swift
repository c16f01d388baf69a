import AudioModel
import Testing

@testable import HostPipeWire

struct PipeWireMetadataReadingTests {
    private typealias Key = PipeWireMetadataReading.Key

    private static let program = PipeWireClients.Client(processID: 7, name: "mixer")

    @Test func programThatConnects_isReasonForTwoReadings() {
        var reading = PipeWireMetadataReading()
        #expect(reading.connected(Self.program) == 250)
        #expect(reading.connected(Self.program) == nil, "it is decided already")
        reading.began()
        #expect(reading.ended(isComplete: true).again == 1000)
        reading.began()
        #expect(reading.connected(Self.program) == nil)
        #expect(reading.ended(isComplete: true).again == 1000, "of the program that connected meanwhile")
        reading.began()
        #expect(reading.ended(isComplete: true).again == nil)
    }

    @Test func defaultInDoubt_isReadSoon_alsoWhereAReadingIsDue() {
        var reading = PipeWireMetadataReading()
        #expect(reading.doubted() == 100)
        reading.began()
        #expect(reading.doubted() == nil, "one is under way")
        #expect(reading.ended(isComplete: true).again == 1000)
        #expect(reading.doubted() == 100, "the one that is due comes too late")
        reading.began()
        #expect(reading.ended(isComplete: true).again == 1000)
        reading.began()
        #expect(reading.ended(isComplete: true).again == nil)
    }

    /// Two hosts would read for ever otherwise.
    @Test func readingOfAnotherHost_isNoReason() {
        var reading = PipeWireMetadataReading()
        #expect(reading.connected(.init(processID: 7, name: "open-avfaudio reader")) == nil)
    }

    @Test func whatTheServerHasNotTold_isAChange() {
        var reading = PipeWireMetadataReading()
        reading.note(.chosen(.defaultNamed(.output, "speaker")))
        reading.note(.chosen(.preferenceNamed(.output, "speaker")))
        reading.note(.targetSet("31", nodeID: 5))
        reading.note(.targetSet("31", nodeID: 6))
        _ = reading.connected(Self.program)
        reading.began()
        reading.found(.choice(.output), "usb")
        reading.found(.preference(.output), "speaker")
        reading.found(.target(nodeID: 6), "40")
        let changes = Dictionary(uniqueKeysWithValues: reading.ended(isComplete: true).changes)
        #expect(changes == [.choice(.output): "usb", .target(nodeID: 5): nil, .target(nodeID: 6): "40"])
    }

    /// What was found may be older than that.
    @Test func readingDuringAChange_isRepeated() {
        var reading = PipeWireMetadataReading()
        _ = reading.connected(Self.program)
        for _ in 1...3 {
            reading.began()
            reading.found(.choice(.output), "usb")
            reading.note(.chosen(.defaultNamed(.output, "speaker")))
            let (changes, again) = reading.ended(isComplete: true)
            #expect(changes.isEmpty && again == 250)
        }
        reading.began()
        reading.found(.choice(.output), "usb")
        #expect(reading.ended(isComplete: true).changes.first?.1 == "usb")
    }

    @Test func readingThatFails_changesNothing_andIsNotRepeatedForEver() {
        var reading = PipeWireMetadataReading()
        reading.note(.chosen(.defaultNamed(.output, "speaker")))
        _ = reading.connected(Self.program)
        for again in [1000, nil] as [UInt64?] {
            reading.began()
            let result = reading.ended(isComplete: false)
            #expect(result.changes.isEmpty && result.again == again)
        }
    }

    @Test func choicesThatHaveGone_areNotReadBack() {
        var reading = PipeWireMetadataReading()
        reading.note(.targetSet("31", nodeID: 5))
        reading.note(.targetSet(nil, nodeID: nil))
        _ = reading.connected(Self.program)
        reading.began()
        #expect(reading.ended(isComplete: true).changes.isEmpty)
    }
}
