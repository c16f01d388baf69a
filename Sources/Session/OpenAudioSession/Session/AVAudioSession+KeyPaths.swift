internal import Foundation

extension AVAudioSession: NamedProperties {
    package static var namedProperties: [String: NamedProperty] {
        [
            "outputVolume": NamedProperty(\AVAudioSession.outputVolume),
            "inputGain": NamedProperty(\AVAudioSession.inputGain),
            "inputAvailable": NamedProperty(\AVAudioSession.isInputAvailable),
            "inputNumberOfChannels": NamedProperty(\AVAudioSession.inputNumberOfChannels),
            "outputNumberOfChannels": NamedProperty(\AVAudioSession.outputNumberOfChannels),
            "sampleRate": NamedProperty(\AVAudioSession.sampleRate),
            "IOBufferDuration": NamedProperty(\AVAudioSession.ioBufferDuration),
            "inputDataSource": .object(\AVAudioSession.inputDataSource),
            "inputDataSources": .object(\AVAudioSession.inputDataSources),
            "outputDataSources": .object(\AVAudioSession.outputDataSources),
        ]
    }
}
