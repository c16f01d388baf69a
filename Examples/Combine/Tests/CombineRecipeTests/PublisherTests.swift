import AVFoundation
import CombineRecipe
import OpenAVFAudioTestKit
import Testing

@Suite struct PublisherTests {
    @Test func routeChanges_andVolumes_arePublished() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let session = AVAudioSession.sharedInstance()
            try session.setCategory(.playback)
            phone.settle()
            var reasons: [UInt] = []
            var volumes: [Float] = []
            let subscriptions = [
                NotificationCenter.default.publisher(for: AVAudioSession.routeChangeNotification, object: session)
                    .compactMap { $0.userInfo?[AVAudioSessionRouteChangeReasonKey] as? UInt }
                    .sink { reasons.append($0) },
                session.publisher(for: \.outputVolume).sink { volumes.append($0) },
            ]
            phone.setVolume(of: .builtInSpeaker, to: 0.5)
            phone.plug(.wiredHeadphones)
            #expect(reasons == [1])
            #expect(volumes == [1, 0.5, 1])
            for subscription in subscriptions { subscription.cancel() }
            phone.unplug(.wiredHeadphones)
            #expect(reasons == [1])
            #expect(volumes == [1, 0.5, 1])
        }
    }
}
