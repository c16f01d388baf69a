import AVFoundation
import OpenAVFAudioTestKit
import Synchronization
import Testing

/// The app's code of `RouteChangeObserver.swift` on a simulated phone, with plugs pulled.
@Suite struct RouteChangeObserverTests {
    @Test func asyncSequence_tellsHeadphonesInTheCurrentAndThePreviousRoute() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let session = AVAudioSession.sharedInstance()
            let observer = RouteChangeObserver()
            let (changes, continuation) = AsyncStream<RouteChangeObserver.Change>.makeStream()
            let following = Task { await observer.followRouteChanges { continuation.yield($0) } }
            var received = changes.makeAsyncIterator()

            try session.setCategory(.playback)
            try session.setActive(true)
            #expect(
                await received.next()
                    == .init(
                        reason: .categoryChange, hadHeadphones: false, hasHeadphones: false,
                        previousOutputs: ["Speaker"]))

            phone.plug(.wiredHeadphones)
            #expect(
                await received.next()
                    == .init(
                        reason: .newDeviceAvailable, hadHeadphones: false, hasHeadphones: true,
                        previousOutputs: ["Speaker"]))
            #expect(session.currentRoute.hasHeadphones)

            phone.unplug(.wiredHeadphones)
            #expect(
                await received.next()
                    == .init(
                        reason: .oldDeviceUnavailable, hadHeadphones: true, hasHeadphones: false,
                        previousOutputs: ["Headphones"]))
            #expect(!session.currentRoute.hasHeadphones)

            following.cancel()
            await following.value
        }
    }

    @Test func blockObserver_readsTheNewRouteInsideTheHandler() async throws {
        try await AudioSimulator.run(.phone) { phone in
            try AVAudioSession.sharedInstance().setCategory(.playback)
            // The call returns before its notification is delivered, as on iOS.
            phone.settle()
            let changes = Mutex<[RouteChangeObserver.Change]>([])
            let token = RouteChangeObserver().observeRouteChanges { change in changes.withLock { $0.append(change) } }
            phone.plug(.bluetoothA2DP)
            phone.unplug(.bluetoothA2DP)
            NotificationCenter.default.removeObserver(token)
            phone.plug(.wiredHeadphones)
            #expect(
                changes.withLock { $0 } == [
                    .init(
                        reason: .newDeviceAvailable, hadHeadphones: false, hasHeadphones: true,
                        previousOutputs: ["Speaker"]),
                    .init(
                        reason: .oldDeviceUnavailable, hadHeadphones: true, hasHeadphones: false,
                        previousOutputs: ["BluetoothA2DPOutput"]),
                ])
        }
    }

    @Test(arguments: [
        (AVAudioSession.RouteChangeReason.oldDeviceUnavailable, true), (.newDeviceAvailable, false), (.override, false),
        (.categoryChange, false),
    ])
    func pauseRule_appliesToALostDeviceOnly(_ reason: AVAudioSession.RouteChangeReason, _ pauses: Bool) {
        let notification = Notification(
            name: AVAudioSession.routeChangeNotification, object: nil,
            userInfo: [AVAudioSessionRouteChangeReasonKey: NSNumber(value: reason.rawValue)])
        #expect(shouldPause(for: notification) == pauses)
    }
}
