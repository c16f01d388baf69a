import AVFoundation
import OpenAVFAudioTestKit
import Testing

/// The examples of the README, unchanged.
@Suite struct ReadmeTests {
    @Test(.simulated(.phone)) func headphonesBecomeTheRoute() throws {
        let phone = try #require(AudioSimulator.current)
        phone.plug(.wiredHeadphones)
        #expect(AVAudioSession.sharedInstance().currentRoute.outputs.first?.portType == .headphones)
        phone.unplug(.wiredHeadphones)
        #expect(AVAudioSession.sharedInstance().currentRoute.outputs.first?.portType == .builtInSpeaker)
    }

    @Test(.simulated(.phone)) func lostDevicesAreNamed() async throws {
        let phone = try #require(AudioSimulator.current)
        let session = AVAudioSession.sharedInstance()
        try session.setCategory(.playback)
        try session.setActive(true)
        let notes = NotificationCenter.default.notifications(
            named: AVAudioSession.routeChangeNotification, object: session)
        phone.plug(.wiredHeadphones)
        phone.unplug(.wiredHeadphones)

        var lines: [String] = []
        for await note in notes {
            guard let value = note.userInfo?[AVAudioSessionRouteChangeReasonKey] as? UInt,
                AVAudioSession.RouteChangeReason(rawValue: value) == .oldDeviceUnavailable,
                let previous = note.userInfo?[AVAudioSessionRouteChangePreviousRouteKey]
                    as? AVAudioSessionRouteDescription
            else { continue }
            lines.append(
                "lost \(previous.outputs.map(\.portName)), now on \(session.currentRoute.outputs.map(\.portName))")
            break
        }
        #expect(lines == [#"lost ["Headphones"], now on ["Speaker"]"#])
    }
}
