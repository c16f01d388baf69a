import AudioModel
import Foundation
import HostInterface
import SessionCore
import Synchronization
import Testing

@testable import OpenAVFAudio

/// The app's code above, with route changes made up and handed to the poster: what the notifications carry.
///
/// `SimulatedPhonePortingTests` runs the same code on the simulated host, with plugs pulled.
@Suite struct RouteChangeObserverTests {
    private let process: AudioProcess
    private let session: AVAudioSession

    init() throws {
        process = try AudioProcess(host: UnreachableHost(kind: .simulated, because: "A test has no sound server."))
        session = AVAudioSession(process: process)
    }

    private let unplug = RouteChange(
        time: .zero, reason: .oldDeviceUnavailable, previous: Route(outputs: [.test("headphones", .headphones)]),
        current: Route(outputs: [.test("speaker", .builtInSpeaker)]))
    private let plug = RouteChange(
        time: .zero, reason: .newDeviceAvailable, previous: Route(outputs: [.test("speaker", .builtInSpeaker)]),
        current: Route(outputs: [.test("headphones", .headphones)]))

    @Test func blockObserver_decodesReasonAndPreviousRoute() {
        AVAudioSession.$taskSession.withValue(session) {
            let changes = Mutex<[RouteChangeObserver.Change]>([])
            let token = RouteChangeObserver().observeRouteChanges { change in changes.withLock { $0.append(change) } }
            process.poster.postRouteChange(unplug)
            process.poster.postRouteChange(plug)
            process.poster.settle()
            NotificationCenter.default.removeObserver(token)
            #expect(
                changes.withLock { $0 } == [
                    .init(
                        reason: .oldDeviceUnavailable, hadHeadphones: true, hasHeadphones: false,
                        previousOutputs: ["Headphones"]),
                    .init(
                        reason: .newDeviceAvailable, hadHeadphones: false, hasHeadphones: false,
                        previousOutputs: ["Speaker"]),
                ])
        }
    }

    @Test func pauseRule_appliesToALostDeviceOnly() {
        func notification(_ change: RouteChange) -> Notification {
            Notification(
                name: AVAudioSession.routeChangeNotification, object: session,
                userInfo: AVAudioSession.userInfo(for: change))
        }
        #expect(shouldPause(for: notification(unplug)))
        #expect(!shouldPause(for: notification(plug)))
    }
}

extension AudioModel.Port {
    fileprivate static func test(_ uid: String, _ kind: PortKind) -> AudioModel.Port {
        AudioModel.Port(
            uid: uid, name: uid, kind: kind, direction: .output, channels: [.left, .right], sampleRate: 48_000)
    }
}
