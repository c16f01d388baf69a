import AudioModel
import TestSupport
import Testing

@testable import HostPipeWire

@Suite struct PipeWireReadingsTests {
    private static let speaker = PipeWireRoute(index: 1, direction: .output, name: "speaker", cardDevices: [0])
    private static let half = PipeWireVolume(PortVolume(level: 0.5, isMuted: false), channelCount: 6)

    @Test func card_isFacts_whenItHasToldAllOfIt() {
        var readings = PipeWireReadings()
        let parts: [PipeWireReadings.Part] = [
            .begun, .route(Self.speaker), .active(cardDevice: 0, route: 1, Self.half),
            .active(cardDevice: 3, route: 2, nil), .activeProfile(4),
        ]
        for part in parts {
            #expect(readings.add(part, of: 9).isEmpty)
            #expect(readings.areUnderWay)
        }
        #expect(
            readings.add(.over, of: 9) == [
                .profilesChanged(deviceID: 9, [], active: 4),
                .routesChanged(deviceID: 9, routes: [Self.speaker], active: [0: 1, 3: 2]),
                .routeVolumesChanged(deviceID: 9, [0: Self.half]),
            ])
        #expect(!readings.areUnderWay)
    }

    @Test func cardThatIsReadAgain_tellsOnlyTheSecondReading() {
        var readings = PipeWireReadings()
        for part in [PipeWireReadings.Part.begun, .route(Self.speaker), .activeProfile(1), .begun, .activeProfile(-1)] {
            _ = readings.add(part, of: 9)
        }
        #expect(
            readings.add(.over, of: 9) == [
                .profilesChanged(deviceID: 9, [], active: nil), .routesChanged(deviceID: 9, routes: [], active: [:]),
                .routeVolumesChanged(deviceID: 9, [:]),
            ])
    }

    @Test func cardThatIsGone_orWasNotAsked_isNoFact() {
        var readings = PipeWireReadings()
        _ = readings.add(.begun, of: 9)
        readings.forget(9)
        #expect(!readings.areUnderWay)
        for part in [PipeWireReadings.Part.route(Self.speaker), .over] { #expect(readings.add(part, of: 9).isEmpty) }
    }

    @Test(arguments: 1...20)
    func hostileCard_isBounded(seed: Int) {
        var random = Seeded(seed: UInt64(seed))
        var readings = PipeWireReadings()
        _ = readings.add(.begun, of: 9)
        for _ in 0..<1000 {
            let number = Int32.random(in: .min ... .max, using: &random)
            let part: PipeWireReadings.Part =
                switch Int.random(in: 0..<3, using: &random) {
                case 0: .route(PipeWireRoute(index: number, direction: .output, name: "", cardDevices: []))
                case 1: .active(cardDevice: number, route: number, Self.half)
                default: .profile(PipeWireProfile(index: number, name: "", hasInput: true, hasOutput: true))
                }
            _ = readings.add(part, of: 9)
        }
        for fact in readings.add(.over, of: 9) {
            switch fact {
            case .profilesChanged(_, let profiles, _): #expect(profiles.count == PipeWireReadings.most)
            case .routesChanged(_, let routes, let active):
                #expect(routes.count == PipeWireReadings.most && active.count == PipeWireReadings.most)
            case .routeVolumesChanged(_, let volumes): #expect(volumes.count == PipeWireReadings.most)
            default: Issue.record("\(fact)")
            }
        }
    }
}
