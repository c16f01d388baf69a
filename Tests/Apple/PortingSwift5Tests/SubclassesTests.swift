import AVFoundation
import MediaPlayer
import OpenAVFAudioTestKit
import Testing

// Helpers: Subclasses.swift

@Suite struct SubclassesTests {
    private let url = URL(fileURLWithPath: "/missing.wav")

    @Test func subclasses_haveTheInitialisersOfTheirClass() async throws {
        try await AudioSimulator.run(.phone) { [url] _ in
            let format = FormatDouble(standardFormatWithSampleRate: 48_000, channels: 2)!
            let asset = AssetDouble(url: url)
            #expect(
                FormatDouble(commonFormat: .pcmFormatInt16, sampleRate: 8000, channels: 1, interleaved: true) != nil)
            #expect(FormatDouble(settings: [:]) == nil)
            #expect(VoiceFormat(channels: 1).sampleRate == 16_000)
            #expect(BufferDouble(pcmFormat: format, frameCapacity: 48)?.name == "")
            #expect(TimeDouble(hostTime: 5).hostTime == 5)
            #expect(TimeDouble(sampleTime: 5, atRate: 48_000).sampleTime == 5)
            #expect(TimeDouble(hostTime: 1, sampleTime: 2, atRate: 48_000).isHostTimeValid)
            let objects: [NSObject?] = [
                PlayerDouble(), PlayerDouble(url: url), QueuePlayerDouble(), QueuePlayerDouble(items: []),
                ItemDouble(url: url), ItemDouble(asset: asset),
                ItemDouble(asset: asset, automaticallyLoadedAssetKeys: ["duration"]), asset,
                AssetDouble(url: url, options: nil), MetadataItemDouble(), MutableMetadataItemDouble(), GroupDouble(),
                TimedGroupDouble(items: [], timeRange: .zero), AccessLogDouble(), ErrorLogDouble(),
                MetadataOutputDouble(identifiers: nil), MixDouble(), MutableMixDouble(), MixParametersDouble(),
                LayoutDouble(layoutTag: kAudioChannelLayoutTag_Stereo), ConverterDouble(from: format, to: format),
                SoundPlayerDouble(), RecorderDouble(), EngineDouble(), PlayerNodeDouble(), MixerDouble(),
                EnvironmentDouble(), SourceDouble { _, _, _, _ in noErr }, SinkDouble { _, _, _ in noErr },
                EQDouble(numberOfBands: 1), ReverbDouble(), DelayDouble(), DistortionDouble(), TimePitchDouble(),
                VarispeedDouble(), ConnectionPointDouble(node: MixerDouble(), bus: 0), PortDouble(), RouteDouble(),
                DataSourceDouble(), SynthesizerDouble(), UtteranceDouble(string: "a"), CommandDouble(),
                SkipCommandDouble(), FeedbackCommandDouble(), RatingCommandDouble(), PositionCommandDouble(),
                RateCommandDouble(), RepeatCommandDouble(), ShuffleCommandDouble(), EventDouble(),
                PositionEventDouble(), SkipEventDouble(), RateEventDouble(), SeekEventDouble(), FeedbackEventDouble(),
                RatingEventDouble(), RepeatEventDouble(), ShuffleEventDouble(), CommandCenterDouble(),
                InfoCenterDouble(), ArtworkDouble(boundsSize: .zero) { _ in Data() },
            ]
            for (index, object) in objects.enumerated() { #expect(object != nil, "object \(index)") }
            #expect(throws: (any Error).self) { try FileDouble(forReading: url) }
            #expect(throws: (any Error).self) { try ReaderDouble(asset: AVAsset(url: url)) }
            _ = VoiceDouble(language: "en-US")
            _ = ExportDouble(asset: AVAsset(url: url), presetName: AVAssetExportPresetAppleM4A)
            let looper = LooperDouble(player: QueuePlayerDouble(), templateItem: AVPlayerItem(url: url))
            // The file is missing: the items fail as soon as they are opened, on another thread.
            #expect(looper.loopingPlayerItems.count == 3)
        }
    }

    @Test func overrides_areWhatCallersGet() async throws {
        try await AudioSimulator.run(.phone) { [url] _ in
            let double = PlayerDouble()
            let player: AVPlayer = double
            player.replaceCurrentItem(with: ItemDouble(url: url))
            player.play()
            player.rate = 2
            player.addObserver(KeyValueObserver(), forKeyPath: "status", options: [], context: nil)
            player.removeObserver(KeyValueObserver(), forKeyPath: "status")
            player.removeTimeObserver(player.addPeriodicTimeObserver(forInterval: .zero, queue: nil) { _ in })
            #expect(double.names == ["play", "2.0", "add status", "remove status", "token"])
            #expect(player.currentItem?.duration.seconds == 42)
            #expect((player.currentItem?.asset as? AVURLAsset)?.url == nil)

            let asset: AVAsset = AssetDouble(url: url)
            asset.cancelLoading()
            #expect((asset as? AssetDouble)?.isCancelled == true)
            var isLoaded = false
            asset.loadValuesAsynchronously(forKeys: []) { isLoaded = true }
            #expect(isLoaded)
            let log: AVPlayerItemAccessLog = AccessLogDouble()
            #expect(log.events.map(\.numberOfStalls) == [5])
            #expect(
                AVMetadataItem.metadataItems(from: GroupDouble().items, filteredByIdentifier: .commonIdentifierTitle)
                    .map(\.stringValue) == ["double"])
        }
    }

    @Test func doublesOfCommands_pressTheButtonsOfAnApp() {
        let center: MPRemoteCommandCenter = CommandCenterDouble()
        var positions: [TimeInterval] = []
        center.playCommand.addTarget { event in
            guard let event = event as? MPChangePlaybackPositionCommandEvent else { return .commandFailed }
            positions.append(event.positionTime)
            return .success
        }
        #expect((center as? CommandCenterDouble)?.play.press(PositionEventDouble()) == [.success])
        #expect((center as? CommandCenterDouble)?.play.press(EventDouble()) == [.commandFailed])
        #expect(positions == [99])
        // Own commands of a center that no desktop shows.
        #expect(center.pauseCommand !== center.playCommand)
        let info: MPNowPlayingInfoCenter = InfoCenterDouble()
        info.nowPlayingInfo = [MPMediaItemPropertyTitle: "Tune"]
        #expect((info as? InfoCenterDouble)?.shown?.count == 1)
        let shown = MPNowPlayingInfoCenter()
        shown.nowPlayingInfo = [MPMediaItemPropertyTitle: "Tune"]
        #expect(shown.nowPlayingInfo?.count == 1)
    }

    /// Where Apple declares NSCopying of something that changes, a copy is another object; where nothing changes, the same.
    @Test func copies_areOfTheirOwn_whereSomethingChanges() async throws {
        try await AudioSimulator.run(.phone) { [url] _ in
            let format = AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 2)!
            let item = AVPlayerItem(url: url)
            item.forwardPlaybackEndTime = CMTime(seconds: 5, preferredTimescale: 1)
            item.audioMix = AVMutableAudioMix()
            let changing: [NSObject & NSCopying] = [
                item, AVMutableMetadataItem(), AVMutableAudioMix(), AVMutableAudioMixInputParameters(),
                AVSpeechUtterance(string: "a"), AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 48)!,
            ]
            for object in changing { #expect(object.copy() as AnyObject !== object, "\(object)") }
            let constant: [NSObject & NSCopying] = [
                AVURLAsset(url: url), AVMetadataItem(), AVTimedMetadataGroup(items: [], timeRange: .zero),
                AVPlayerItemAccessLog(), AVPlayerItemAccessLogEvent(), AVPlayerItemErrorLog(),
                AVPlayerItemErrorLogEvent(),
            ]
            for object in constant { #expect(object.copy() as AnyObject === object, "\(object)") }

            // In a second player, the same item would end the program.
            let copy = try #require(item.copy() as? AVPlayerItem)
            let players = [AVPlayer(playerItem: item), AVPlayer(playerItem: copy)]
            #expect(players.map(\.currentItem) == [item, copy])
            #expect(copy.asset === item.asset)
            #expect(copy.forwardPlaybackEndTime.seconds == 5)
            #expect(copy.audioMix != nil)

            let title = AVMutableMetadataItem()
            title.identifier = .id3MetadataTitleDescription
            title.value = NSString(string: "Tune")
            let fixed = try #require(title.copy() as? AVMetadataItem)
            title.value = NSString(string: "Another")
            #expect(!(fixed is AVMutableMetadataItem))
            #expect((fixed.identifier, fixed.stringValue) == (.id3MetadataTitleDescription, "Tune"))
            let changed = try #require(fixed.mutableCopy() as? AVMutableMetadataItem)
            changed.value = NSString(string: "Third")
            #expect((changed.stringValue, fixed.stringValue) == ("Third", "Tune"))
        }
    }
}
