import Foundation
import OpenAVFAudio
import OpenAVFAudioTestKit
import OpenAVFoundation
import OpenAudioSession
import Synchronization
import Testing

/// Whether an app may record, and what it hears while it may not.
@Suite struct RecordPermissionTests {
    @Test func permission_onADesktop_isGranted() async throws {
        try await AudioSimulator.run(.desktop) { desktop in
            #expect(desktop.session.recordPermission == .granted)
            #expect(AVAudioApplication.shared.recordPermission == .granted)
            #expect(AVAudioApplication.shared === AVAudioApplication.shared)
            #expect(await AVAudioApplication.requestRecordPermission())
        }
    }

    /// The caller waits, on the thread of a notification handler even.
    @Test func request_isAnsweredOnce_onAThreadOfItsOwn() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let session = phone.session
            let answers = Mutex<[String]>([])
            let ask = { @Sendable in
                let caller = ObjectIdentifier(Thread.current)
                let done = DispatchSemaphore(value: 0)
                session.requestRecordPermission { isGranted in
                    answers.withLock {
                        $0.append(
                            "\(isGranted), same thread: \(ObjectIdentifier(Thread.current) == caller), same session: "
                                + "\(AVAudioSession.sharedInstance() === session)")
                    }
                    done.signal()
                }
                done.wait()
            }
            ask()
            let token = NotificationCenter.default.addObserver(
                forName: AVAudioSession.routeChangeNotification, object: session, queue: nil
            ) { _ in ask() }
            phone.plug(.wiredHeadphones)
            NotificationCenter.default.removeObserver(token)
            let expected = "true, same thread: false, same session: true"
            #expect(answers.withLock { $0 } == [expected, expected])
        }
    }

    @Test func captureDevice_answersForThePermission() async throws {
        try await AudioSimulator.run(.phone) { phone in
            phone.setRecordPermission(.undetermined, promptAnswer: false)
            #expect(AVCaptureDevice.authorizationStatus(for: .audio) == .notDetermined)
            #expect(AVCaptureDevice.authorizationStatus(for: .video) == .restricted)
            #expect(await AVCaptureDevice.requestAccess(for: .audio) == false)
            #expect(AVCaptureDevice.authorizationStatus(for: .audio) == .denied)
            phone.setRecordPermission(.undetermined)
            #expect(await AVCaptureDevice.requestAccess(for: .audio))
            #expect(AVCaptureDevice.authorizationStatus(for: .audio) == .authorized)
            let isAllowed = await withCheckedContinuation { continuation in
                AVCaptureDevice.requestAccess(for: .video) { continuation.resume(returning: $0) }
            }
            #expect(!isAllowed)
        }
    }

    @Test func prompt_isAnsweredOnce_andStays() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let session = phone.session
            phone.setRecordPermission(.undetermined, promptAnswer: false)
            #expect(session.recordPermission == .undetermined)
            #expect(AVAudioApplication.shared.recordPermission == .undetermined)
            #expect(await AVAudioApplication.requestRecordPermission() == false)
            #expect(session.recordPermission == .denied)
            #expect(AVAudioApplication.shared.recordPermission == .denied)
            #expect(await AVAudioApplication.requestRecordPermission() == false)
            phone.setRecordPermission(.undetermined)
            #expect(await AVAudioApplication.requestRecordPermission())
            #expect(session.recordPermission == .granted)
        }
    }

    @Test func recording_whileDenied_isSilence_andGoesOnWithSoundOnceGranted() async throws {
        let url = URL(filePath: NSTemporaryDirectory() + "open-avfaudio-\(UUID()).wav")
        defer { try? FileManager.default.removeItem(at: url) }
        try await AudioSimulator.run(.phone) { phone in
            phone.setInput(of: .builtInMic) { _, _ in 0.25 }
            phone.setRecordPermission(.denied)
            try phone.session.setCategory(.record)
            let recorder = try AVAudioRecorder(
                url: url,
                settings: [
                    AVFormatIDKey: kAudioFormatLinearPCM, AVLinearPCMBitDepthKey: 32, AVLinearPCMIsFloatKey: true,
                ])
            #expect(recorder.record())
            phone.advance(bySeconds: 0.1)
            phone.setRecordPermission(.granted)
            phone.advance(bySeconds: 0.1)
            recorder.stop()
            #expect(phone.violations == [])
        }
        let file = try AVAudioFile(forReading: url)
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: 9600))
        try file.read(into: buffer)
        let samples = try #require(buffer.floatChannelData)[0]
        #expect(
            (0..<Int(buffer.frameLength)).map { samples[$0] }
                == [Float](repeating: 0, count: 4800) + [Float](repeating: 0.25, count: 4800))
    }
}
