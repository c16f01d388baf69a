import EventSchema
import Foundation
import SessionCore
import Testing

@testable import AudioRuntime
@testable import OpenAudioSession
@testable import audiosession

/// The lines of `--events json`, against literal text and against the documented schema.
@Suite struct EventTests {
    private static let headphones = RouteFacts(outputs: [FakeBackend.headphones])
    private static let speaker = RouteFacts(outputs: [FakeBackend.speaker])

    static let samples: [Event] = [
        Event(
            time: 0,
            fact: .started(
                .init(
                    version: "0.1.0", host: "simulated", clock: 1234.5, files: ["a \"b\".wav"], currentRoute: headphones
                ))),
        Event(
            time: 2.013,
            fact: .session(.routeChanged(reason: .oldDeviceUnavailable, previous: headphones, current: speaker))),
        Event(time: 2, fact: .session(.availableInputsChanged([FakeBackend.headphones]))),
        Event(
            time: 2,
            fact: .player(.init(transport: .init(.paused, .oldDeviceUnavailable), position: 1.9), file: "a.wav")),
        Event(time: 2, fact: .player(.init(transport: .init(.failed, .error), position: 1.9), file: "a.wav")),
        Event(time: 3, fact: .error(BackendError(code: .file(.notFound), message: "there is no file 'x'"), file: "x")),
        Event(time: 3, fact: .error(BackendError(code: .program(.unreachable), message: "no server"), file: nil)),
        Event(time: 4, fact: .session(.interruptionBegan(reason: .default))),
        Event(time: 4, fact: .session(.interruptionBegan(reason: .routeDisconnected))),
        Event(time: 4, fact: .session(.interruptionEnded(shouldResume: true))),
        Event(time: 4, fact: .session(.secondaryAudioHint(begins: true))),
        Event(time: 4, fact: .session(.secondaryAudioHint(begins: false))),
        Event(time: 4, fact: .session(.mediaServicesLost(reason: nil))),
        Event(time: 4, fact: .session(.mediaServicesLost(reason: "the limit of open files"))),
        Event(time: 4, fact: .session(.mediaServicesReset)),
        Event(time: 5, fact: .deviceChosen(.automatic, outputs: [FakeBackend.headphones])),
        Event(time: 5, fact: .deviceChosen(.device(uid: "sim.hdmi"), outputs: [FakeBackend.speaker])),
        Event(time: 5, fact: .deviceChosen(.portType(.HDMI), outputs: [])),
        Event(
            time: 5,
            fact: .recorder(
                .init(transport: .init(.finished, .newDeviceAvailable), duration: 2.5, lostFrames: 3), file: "a.wav")),
        Event(
            time: 5,
            fact: .channelMapReset(ChannelMapReset(map: [0, -1, 1], outputChannels: 2), file: "a.wav")),
        Event(time: 5, fact: .guardReport("Paused mpv: headphones left.")),
    ]

    @Test func routeChange_isOneLineInTheDocumentedOrder() {
        #expect(
            Self.samples[1].json.text
                == #"{"time":2.013000,"event":"routeChange","reason":"oldDeviceUnavailable","previousRoute":{"outputs":"#
                + #"[{"uid":"sim.headphones","name":"Cans","portType":"Headphones","channels":2}],"inputs":[]},"#
                + #""currentRoute":{"outputs":"#
                + #"[{"uid":"sim.speaker","name":"Speaker","portType":"Speaker","channels":2}],"inputs":[]}}"#)
    }

    @Test func player_isOneLineInTheDocumentedOrder() {
        #expect(
            Self.samples[3].json.text
                == #"{"time":2.000000,"event":"player","state":"paused","cause":"oldDeviceUnavailable","#
                + #""playWhenReady":false,"meantToPlay":false,"position":1.900,"file":"a.wav"}"#)
    }

    @Test func interruptionHintAndServices_areLinesInTheDocumentedOrder() {
        #expect(
            Self.samples[7..<15].map(\.json.text) == [
                #"{"time":4.000000,"event":"interruption","type":"began","reason":"default"}"#,
                #"{"time":4.000000,"event":"interruption","type":"began","reason":"routeDisconnected"}"#,
                #"{"time":4.000000,"event":"interruption","type":"ended","shouldResume":true}"#,
                #"{"time":4.000000,"event":"secondaryAudioHint","type":"begin"}"#,
                #"{"time":4.000000,"event":"secondaryAudioHint","type":"end"}"#,
                #"{"time":4.000000,"event":"mediaServices","state":"lost"}"#,
                #"{"time":4.000000,"event":"mediaServices","state":"lost","reason":"the limit of open files"}"#,
                #"{"time":4.000000,"event":"mediaServices","state":"reset"}"#,
            ])
    }

    @Test func choiceAndMap_areLinesInTheDocumentedOrder() {
        let port = #"[{"uid":"sim.headphones","name":"Cans","portType":"Headphones","channels":2}]"#
        let speaker = #"[{"uid":"sim.speaker","name":"Speaker","portType":"Speaker","channels":2}]"#
        #expect(
            Self.samples[15...].map(\.json.text) == [
                #"{"time":5.000000,"event":"deviceChosen","choice":"automatic","outputs":"# + port + "}",
                #"{"time":5.000000,"event":"deviceChosen","choice":"device","uid":"sim.hdmi","outputs":"# + speaker
                    + "}",
                #"{"time":5.000000,"event":"deviceChosen","choice":"portType","portType":"HDMIOutput","outputs":[]}"#,
                #"{"time":5.000000,"event":"recorder","state":"finished","cause":"newDeviceAvailable","#
                    + #""meantToRecord":false,"duration":2.500,"lostFrames":3,"file":"a.wav"}"#,
                #"{"time":5.000000,"event":"channelMapReset","channelMap":[0,-1,1],"outputChannels":2,"file":"a.wav"}"#,
                #"{"time":5.000000,"event":"guard","message":"Paused mpv: headphones left."}"#,
            ])
    }

    @Test(arguments: samples)
    func everyLine_isValidByTheDocumentedSchema(event: Event) throws {
        let line = event.json.text
        #expect(!line.contains("\n"))
        #expect(try EventSchema().faults(inLine: line) == [])
    }

    @Test func everyExampleLine_ofTheGuide_isValidByTheSchema() throws {
        let guide = try String(
            contentsOf: EventSchema.packageFolder.appendingPathComponent("docs/events.md"), encoding: .utf8)
        let examples = guide.split(separator: "\n").filter { $0.hasPrefix("{") }
        #expect(examples.count == 10)
        for example in examples { #expect(try EventSchema().faults(inLine: String(example)) == []) }
    }

    @Test(arguments: [
        (
            #"{"time":1,"event":"player","state":"paused","cause":"user","position":0,"file":"a"}"#,
            "no field playWhenReady"
        ),
        (#"{"time":"1","event":"availableInputsChange","availableInputs":[]}"#, "time is no number"),
        (#"{"time":1,"event":"availableInputsChange","availableInputs":[],"x":1}"#, "unknown field x"),
        (#"{"time":1,"event":"player","state":"asleep","cause":"user","position":0,"file":"a"}"#, "state is not among"),
        (#"{"time":1,"event":"player","playWhenReady":1}"#, "playWhenReady is no truth value"),
        (#"{"time":1,"event":"interruption","type":"began"}"#, "no field reason"),
        (#"{"time":1,"event":"interruption","type":"began","reason":"default","shouldResume":true}"#, "unknown field"),
        (#"{"time":1,"event":"interruption","type":"ended"}"#, "no field shouldResume"),
        (#"{"time":1,"event":"interruption","type":"paused"}"#, "type is not among"),
        (#"{"time":1,"event":"mediaServices","state":"asleep"}"#, "state is not among"),
        (#"{"time":1,"event":"nap"}"#, "unknown event nap"),
        (#"{"time":1,"event":"availableInputsChange","availableInputs":[{"uid":1}]}"#, "uid is no string"),
    ])
    func schema_canFindFaults(line: String, fault: String) throws {
        let faults = try EventSchema().faults(inLine: line)
        #expect(faults.contains { $0.hasPrefix(fault) }, "\(faults)")
    }

    @Test func schema_knowsEveryReasonStateAndCause() throws {
        let schema = try EventSchema()
        let reasons = (UInt(0)...8).compactMap { AVAudioSession.RouteChangeReason(rawValue: $0) }.map { "\($0)" }
        #expect(reasons.count == 8)
        #expect(schema.words(ofEvent: "routeChange", field: "reason") == reasons)
        #expect(schema.words(ofEvent: "player", field: "state") == ["playing", "paused", "finished", "failed"])
        let causes: [FilePlayer.Cause] = [
            .user, .oldDeviceUnavailable, .noSuitableRoute, .interruption, .deactivation, .refusal, .endOfFile, .error,
        ]
        #expect(schema.words(ofEvent: "player", field: "cause") == causes.map(\.rawValue))
        let interruptions: [AVAudioSession.InterruptionReason] = [.default, .routeDisconnected]
        #expect(schema.words(ofEvent: "interruption", field: "reason") == interruptions.map { "\($0)" })
    }
}
