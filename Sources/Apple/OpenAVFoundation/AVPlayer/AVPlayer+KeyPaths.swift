internal import Foundation
internal import OpenAudioSession

// The names of the observable properties in Objective-C.

extension AVPlayer: NamedProperties {
    package static var namedProperties: [String: NamedProperty] {
        let ofItem = AVPlayerItem.namedProperties.map { name, property in
            ("currentItem." + name, NamedProperty(property, ofItemOf: \.currentItem))
        }
        return [
            "status": .number(\AVPlayer.status), "error": .object(\AVPlayer.error),
            "rate": NamedProperty(\AVPlayer.rate),
            "timeControlStatus": .number(\AVPlayer.timeControlStatus), "currentItem": .object(\AVPlayer.currentItem),
            "reasonForWaitingToPlay": NamedProperty(\AVPlayer.reasonForWaitingToPlay) { $0?.rawValue },
            "volume": NamedProperty(\AVPlayer.volume), "muted": NamedProperty(\AVPlayer.isMuted),
        ].merging(ofItem) { own, _ in own }
    }
}

extension AVPlayerItem: NamedProperties {
    package static var namedProperties: [String: NamedProperty] {
        [
            "status": .number(\AVPlayerItem.status), "error": .object(\AVPlayerItem.error),
            "duration": NamedProperty(\AVPlayerItem.duration),
            "loadedTimeRanges": NamedProperty(\AVPlayerItem.loadedTimeRanges),
            "seekableTimeRanges": NamedProperty(\AVPlayerItem.seekableTimeRanges),
            "playbackLikelyToKeepUp": NamedProperty(\AVPlayerItem.isPlaybackLikelyToKeepUp),
            "playbackBufferEmpty": NamedProperty(\AVPlayerItem.isPlaybackBufferEmpty),
            "playbackBufferFull": NamedProperty(\AVPlayerItem.isPlaybackBufferFull),
            "timedMetadata": NamedProperty(\AVPlayerItem.timedMetadata) { $0 },
            "tracks": NamedProperty(\AVPlayerItem.tracks),
        ]
    }
}

extension AVPlayerLooper: NamedProperties {
    package static var namedProperties: [String: NamedProperty] {
        [
            "status": .number(\AVPlayerLooper.status), "error": .object(\AVPlayerLooper.error),
            "loopCount": NamedProperty(\AVPlayerLooper.loopCount),
            "loopingPlayerItems": NamedProperty(\AVPlayerLooper.loopingPlayerItems),
        ]
    }
}

extension NamedProperty {
    fileprivate init(_ property: NamedProperty, ofItemOf player: KeyPath<AVPlayer, AVPlayerItem?>) {
        self.init(player) { $0.map(property.read) }
    }
}
