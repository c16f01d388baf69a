package import AudioModel

extension Port {
    package static let speaker = Port(
        uid: "speaker", name: "Speaker", kind: .builtInSpeaker, direction: .output, channels: [.left, .right],
        sampleRate: 48_000)
    package static let headphones = Port(
        uid: "headphones", name: "Headphones", kind: .headphones, direction: .output, channels: [.left, .right],
        sampleRate: 44_100)
    package static let microphone = Port(
        uid: "mic", name: "Microphone", kind: .builtInMic, direction: .input, channels: [.mono], sampleRate: 16_000)
}
