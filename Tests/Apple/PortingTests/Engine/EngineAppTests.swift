import AVFoundation
import OpenAVFAudioTestKit
import Testing

/// The app's code of `DevicePicker.swift` and `LevelMeter.swift` on a simulated phone.
@Suite struct EngineAppTests {
    private func steady(_ value: Float) throws -> AVAudioPCMBuffer {
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 2))
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 44_100))
        buffer.frameLength = 44_100
        for channel in 0..<2 {
            for frame in 0..<44_100 { buffer.floatChannelData?[channel][frame] = value }
        }
        return buffer
    }

    @Test func levelMeter_showsTheLevelOfWhatPlays() async throws {
        try await AudioSimulator.run(.phone) { phone in
            try AVAudioSession.sharedInstance().setCategory(.playback)
            let meter = LevelMeter()
            try meter.start()
            phone.advance(bySeconds: 0.5)
            #expect(meter.level == 0)
            meter.play(try steady(0.5), loops: true)
            phone.advance(bySeconds: 0.5)
            // The rate converter ripples by less than that.
            #expect(abs(meter.level - 0.5) < 0.001)
            phone.receiveCall()
            #expect(!meter.isRunning)
            phone.endCall()
            meter.stop()
            #expect(phone.violations == [])
        }
    }

    @Test func devicePicker_reachesTheOneDeviceThereIs() async throws {
        try await AudioSimulator.run(.phone) { phone in
            try AVAudioSession.sharedInstance().setCategory(.playback)
            phone.plug(.hdmi)
            let picker = DevicePicker()
            #expect(picker.devices.map(\.channelsCount) == [8])
            picker.select(.HDMI)
            try picker.play(try steady(0.25))
            phone.advance(bySeconds: 0.5)
            let heard = phone.samples(of: .hdmi).map { $0.contains { $0 != 0 } }
            #expect(heard == [true, true] + [Bool](repeating: false, count: 6))
            #expect(phone.violations == [])
        }
    }

    @Test func portTypePicksFirst_ofSeveralDevices_andOnlyThatOneIsHeard() async throws {
        try await AudioSimulator.run(.bare) { phone in
            phone.plug(.hdmi)
            phone.plug(.usbHeadphones)
            phone.plug(.usbAudio)
            try AVAudioSession.sharedInstance().setCategory(.multiRoute)
            let picker = DevicePicker()
            #expect(picker.devices.map(\.channelsCount) == [8, 2, 2])
            // Two devices are of that type: the first in the route's order.
            picker.select(.usbAudio)
            try picker.play(try steady(0.25))
            phone.advance(bySeconds: 0.5)
            let devices: [AudioSimulator.Device] = [.hdmi, .usbHeadphones, .usbAudio]
            #expect(devices.map { phone.loudFrames(of: $0) > 0 } == [false, true, false])
            // The last one by itself, while it plays.
            picker.select(picker.devices[2])
            let change = phone.now
            phone.advance(bySeconds: 0.1)
            #expect(devices.map { phone.loudFrames(of: $0, since: change + 0.02) > 0 } == [false, false, true])
            #expect(phone.violations == [])
        }
    }
}
