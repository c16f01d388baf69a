import AVFoundation
import OpenAVFAudioTestKit
import Testing

/// The app's code of `PermissionGate.swift` on a simulated phone.
@Suite struct PermissionGateTests {
    private let url = FileManager.default.temporaryDirectory.appendingPathComponent("open-avfaudio-\(UUID()).wav")

    @Test func permissionGate_onceTheUserAgrees_records() async throws {
        defer { try? FileManager.default.removeItem(at: url) }
        try await AudioSimulator.run(.phone) { phone in
            phone.setRecordPermission(.undetermined)
            let gate = PermissionGate()
            #expect(gate.access == .undecided)
            let isRecording = try await gate.startRecording(to: url)
            #expect(isRecording)
            #expect(gate.access == .allowed)
            phone.advance(bySeconds: 0.5)
            gate.stopRecording()
            #expect(phone.violations == [])
        }
        #expect(try AVAudioFile(forReading: url).length == 22_050)
    }

    @Test func permissionGate_whereTheUserRefuses_makesNoFile() async throws {
        try await AudioSimulator.run(.phone) { phone in
            phone.setRecordPermission(.undetermined, promptAnswer: false)
            let gate = PermissionGate()
            let isRecording = try await gate.startRecording(to: url)
            #expect(!isRecording)
            #expect(gate.access == .refused)
            #expect(!gate.mayRecord())
        }
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }
}
