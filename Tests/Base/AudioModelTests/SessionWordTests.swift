import AudioModel
import Testing

/// Other versions of the library, and the files of users, have these words.
struct SessionWordTests {
    private func checkIdentity<Value: SessionWord>(_ type: Value.Type) {
        for value in Value.allCases { #expect(Value(word: value.word) == value) }
        for word in Value.words { #expect(Value(word: word)?.word == word) }
        #expect(Set(Value.words).count == Value.allCases.count)
        #expect(Value(word: "") == nil && Value(word: "Playback") == nil)
    }

    @Test func word_ofEachValue_namesThatValue() {
        checkIdentity(SessionCategory.self)
        checkIdentity(SessionMode.self)
        checkIdentity(SessionPolicy.self)
        checkIdentity(PortKind.self)
        checkIdentity(RouteChangeReason.self)
    }

    @Test func words_areThoseOfFormerVersions() {
        #expect(
            SessionCategory.words == ["ambient", "soloAmbient", "playback", "record", "playAndRecord", "multiRoute"])
        #expect(
            SessionMode.words == [
                "default", "voiceChat", "gameChat", "videoRecording", "measurement", "moviePlayback", "videoChat",
                "spokenAudio", "voicePrompt", "shortFormVideo", "dualRoute",
            ])
        #expect(SessionPolicy.words == ["default", "longFormAudio", "independent", "longFormVideo"])
        #expect(
            SessionOptions.words == [
                "mixWithOthers", "duckOthers", "allowBluetoothHFP", "defaultToSpeaker",
                "interruptSpokenAudioAndMixWithOthers", "allowBluetoothA2DP", "allowAirPlay",
                "overrideMutedMicrophoneInterruption", "farFieldInput", "bluetoothHighQualityRecording",
            ])
        #expect(
            PortKind.words == [
                "lineIn", "builtInMic", "headsetMic", "lineOut", "headphones", "bluetoothA2DP", "builtInReceiver",
                "builtInSpeaker", "hdmi", "airPlay", "bluetoothLE", "bluetoothHFP", "usbAudio", "carAudio", "virtual",
                "pci", "fireWire", "displayPort", "avb", "thunderbolt",
            ])
        #expect(
            RouteChangeReason.words == [
                "unknown", "newDeviceAvailable", "oldDeviceUnavailable", "categoryChange", "override", "wakeFromSleep",
                "noSuitableRouteForCategory", "routeConfigurationChange",
            ])
    }

    /// Traces, errors and Apple's symbols are made of the raw values.
    @Test func rawValues_areTheWords() {
        for value in SessionCategory.allCases { #expect(value.rawValue == value.word) }
        for value in SessionMode.allCases { #expect(value.rawValue == value.word) }
        for value in PortKind.allCases { #expect("\(value)" == value.word) }
        for value in RouteChangeReason.allCases { #expect("\(value)" == value.word) }
    }

    /// Every set of options, of 1024.
    @Test func words_ofEachSetOfOptions_nameThatSet() {
        let all = SessionOptions.all.map(\.bits)
        #expect(all.count == 10)
        var sets = 0
        for bits in 0..<(1 << all.count) {
            let options = SessionOptions(all.indices.filter { bits >> $0 & 1 == 1 }.map { all[$0] })
            #expect(SessionOptions(words: options.words) == options)
            sets += 1
        }
        #expect(sets == 1024)
        for named in SessionOptions.all where named.bits != .interruptSpokenAudioAndMixWithOthers {
            #expect(named.bits.words == [named.word])
        }
        #expect(
            SessionOptions.interruptSpokenAudioAndMixWithOthers.words == [
                "mixWithOthers", "interruptSpokenAudioAndMixWithOthers",
            ])
        #expect(SessionOptions(words: ["loud", "duckOthers"]) == .duckOthers)
        #expect(SessionOptions(rawValue: 1 << 40).words == [])
        #expect(SessionOptions.known.rawValue == 0xC00FF)
    }
}
