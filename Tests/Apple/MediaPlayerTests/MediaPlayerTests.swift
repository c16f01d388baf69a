import BusObjects
import BusRig
import Foundation
import SessionBus
import Synchronization
import TestSupport
import Testing

@testable import MediaPlayer

/// The media controls on a bus of the test's own, as desktops and playerctl see them.
@Suite struct MediaPlayerTests {
    private static let path = "/org/mpris/MediaPlayer2"
    private static let root = "org.mpris.MediaPlayer2"
    private static let player = "org.mpris.MediaPlayer2.Player"

    private let bus: PrivateBus
    private let export: NowPlayingExport
    private let center: MPNowPlayingInfoCenter
    private let commands: MPRemoteCommandCenter
    private let client: BusConnection
    /// Elements of a song of 200 s, paused at 10 s.
    private let song: [String: Any] = [
        MPMediaItemPropertyTitle: "Song\u{1B}", MPMediaItemPropertyArtist: "Artist",
        MPMediaItemPropertyAlbumTitle: "Album",
        MPMediaItemPropertyAlbumArtist: "Various", MPMediaItemPropertyGenre: "Jazz",
        MPMediaItemPropertyComposer: "Composer",
        MPMediaItemPropertyPlaybackDuration: 200.0, MPMediaItemPropertyAlbumTrackNumber: 3,
        MPMediaItemPropertyDiscNumber: 1,
        MPNowPlayingInfoPropertyElapsedPlaybackTime: 10.0, MPNowPlayingInfoPropertyPlaybackRate: 0.0,
        MPNowPlayingInfoPropertyDefaultPlaybackRate: 1.0,
        MPNowPlayingInfoPropertyMediaType: MPNowPlayingInfoMediaType.audio.rawValue,
        MPNowPlayingInfoPropertyAssetURL: URL(fileURLWithPath: "/music/a b.flac"),
        MPNowPlayingInfoPropertyExternalContentIdentifier: "1",
    ]

    init() throws {
        bus = try PrivateBus()
        export = NowPlayingExport(address: bus.address, program: "My Player")
        center = MPNowPlayingInfoCenter(export: export)
        commands = MPRemoteCommandCenter(export: export)
        client = try BusConnection(address: bus.address)
    }

    /// Shows the item, and returns when the bus has the name.
    private func show(_ info: [String: Any]) async {
        let (owners, continuation) = AsyncStream<String>.makeStream()
        client.watchOwners(of: Self.root) { name, owner in if owner != nil { continuation.yield(name) } }
        center.nowPlayingInfo = info
        for await name in owners where name == export.busName { return }
    }

    private func property(_ name: String, of interface: String = player) async throws -> BusValue {
        try await client.property(name, of: interface, Self.path, at: export.busName).get()
    }

    @discardableResult
    private func call(_ member: String, _ arguments: [BusValue] = []) async -> Result<[BusValue], BusError> {
        await client.call(export.busName, Self.path, Self.player, member, arguments)
    }

    private func metadata() async throws -> [String: BusValue] { try await property("Metadata").properties ?? [:] }

    @Test func pauseOfTheSessionManager_isNotTheUsers() async throws {
        let (events, continuation) = AsyncStream<String>.makeStream()
        commands.pauseCommand.addTarget { _ in
            continuation.yield("pause")
            return .success
        }
        commands.playCommand.addTarget { _ in
            continuation.yield("play")
            return .success
        }
        await show(song)
        // The kernel names a process by the file that it was started from.
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("manager-\(getpid())").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let program = directory + "/wireplumber"
        try FileManager.default.createSymbolicLink(atPath: program, withDestinationPath: "/usr/bin/playerctl")
        _ = try PrivateBus.run([program, "pause"], at: bus.address)
        _ = try PrivateBus.run(["playerctl", "play"], at: bus.address)
        _ = try PrivateBus.run(["playerctl", "pause"], at: bus.address)
        var next = events.makeAsyncIterator()
        #expect(await next.next() == "play")
        #expect(await next.next() == "pause")
    }

    // MARK: What is shown

    @Test func item_isShownWithItsMetadata() async throws {
        await show(song)
        #expect(try await property("Identity", of: Self.root) == .string("My Player"))
        #expect(export.busName == "org.mpris.MediaPlayer2.My_Player.instance\(getpid())")
        #expect(try await property("PlaybackStatus") == .string("Paused"))
        #expect(try await property("Position") == .int64(10_000_000))
        let metadata = try await metadata()
        #expect(metadata["xesam:title"] == .string("Song\u{FFFD}"))
        #expect(metadata["xesam:artist"] == .strings(["Artist"]))
        #expect(metadata["xesam:album"] == .string("Album"))
        #expect(metadata["xesam:albumArtist"] == .strings(["Various"]))
        #expect(metadata["xesam:genre"] == .strings(["Jazz"]))
        #expect(metadata["xesam:composer"] == .strings(["Composer"]))
        #expect(metadata["xesam:trackNumber"] == .int32(3))
        #expect(metadata["xesam:discNumber"] == .int32(1))
        #expect(metadata["xesam:url"] == .string("file:///music/a%20b.flac"))
        #expect(metadata["mpris:length"] == .int64(200_000_000))
        #expect(metadata["mpris:trackid"]?.signature == "o")
        var radio = song
        radio[MPNowPlayingInfoPropertyAssetURL] = URL(string: "https://user:secret@example.org/live?token=t#now")
        await show(radio)
        #expect(try await self.metadata()["xesam:url"] == .string("https://example.org/live"))
    }

    @Test func playingItem_movesOn_andStopsAtItsEnd() async throws {
        var info = song
        info[MPNowPlayingInfoPropertyPlaybackRate] = 1000.0
        await show(info)
        #expect(try await property("PlaybackStatus") == .string("Playing"))
        // 190 s at a rate of 1000 are over by now.
        var position: Int64?
        while position != 200_000_000 { position = try await property("Position").integer }
        center.playbackState = .paused
        #expect(center.playbackState == .paused)
        #expect(try await property("PlaybackStatus") == .string("Paused"))
        center.playbackState = .interrupted
        #expect(try await property("PlaybackStatus") == .string("Paused"))
        center.playbackState = .stopped
        #expect(try await property("PlaybackStatus") == .string("Stopped"))
        center.nowPlayingInfo = nil
        #expect(center.nowPlayingInfo == nil)
        #expect(try await property("PlaybackStatus") == .string("Stopped"))
        #expect(try await metadata().keys.sorted() == ["mpris:trackid"])
    }

    @Test func liveStream_hasNoLength() async throws {
        var info = song
        info[MPNowPlayingInfoPropertyIsLiveStream] = true
        await show(info)
        #expect(try await metadata()["mpris:length"] == nil)
    }

    @Test func artwork_isAFileWhileItsItemIsShown() async throws {
        var info = song
        let bytes = Data([0x89, 0x50, 0x4E, 0x47])
        let artwork = MPMediaItemArtwork(boundsSize: CGSize(width: 8, height: 8)) { _ in bytes }
        #expect(artwork.bounds.size.width == 8)
        #expect(artwork.imageData(at: artwork.bounds.size) == bytes)
        info[MPMediaItemPropertyArtwork] = artwork
        await show(info)
        // The app is asked on a thread of its own.
        var address: String?
        while address == nil { address = try await metadata()["mpris:artUrl"]?.string }
        let url = try #require(URL(string: address ?? ""))
        #expect(try Data(contentsOf: url) == bytes)
        center.nowPlayingInfo = nil
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    /// An app's own stand-in for `UIImage`.
    private struct Picture: MPArtworkImage {
        let bytes: Data?
        func pngData() -> Data? { bytes }
    }

    @Test func artwork_ofAnAppsOwnPictures_isTheirBytes() {
        let size = CGSize(width: 8, height: 8)
        let bytes = Data([0x89, 0x50, 0x4E, 0x47])
        #expect(MPMediaItemArtwork(boundsSize: size) { _ in Picture(bytes: bytes) }.imageData(at: size) == bytes)
        #expect(MPMediaItemArtwork(boundsSize: size) { _ in Picture(bytes: nil) }.imageData(at: size).isEmpty)
        #expect(MPMediaItemArtwork(boundsSize: size) { _ in NSObject() }.imageData(at: size).isEmpty)
    }

    @Test func changes_areTold_andJumpsOfThePosition() async throws {
        await show(song)
        var signals = client.signals(.init(path: Self.path)).makeAsyncIterator()
        // The watch is set up before the answer to this comes.
        _ = try await property("PlaybackStatus")
        var info = song
        info[MPNowPlayingInfoPropertyPlaybackRate] = 1.0
        center.nowPlayingInfo = info
        let change = try #require(await signals.next())
        #expect(change.member == "PropertiesChanged")
        #expect(change.arguments.first == .string(Self.player))
        #expect(change.arguments[1].properties == ["PlaybackStatus": .string("Playing")])
        info[MPNowPlayingInfoPropertyElapsedPlaybackTime] = 100.0
        center.nowPlayingInfo = info
        let seek = try #require(await signals.next())
        #expect(seek.member == "Seeked")
        #expect((seek.arguments.first?.integer ?? 0) >= 100_000_000)
        // Another item begins at its beginning; that is no jump.
        info[MPNowPlayingInfoPropertyExternalContentIdentifier] = "2"
        info[MPNowPlayingInfoPropertyElapsedPlaybackTime] = 0.0
        center.nowPlayingInfo = info
        let next = try #require(await signals.next())
        #expect(next.arguments[1].properties?.keys.sorted() == ["Metadata"])
    }

    // MARK: What is asked for

    @Test func commandsWithHandlers_areOffered_andReachThem() async throws {
        let (events, continuation) = AsyncStream<String>.makeStream()
        func add(
            _ name: String, _ command: MPRemoteCommand, _ text: @escaping (MPRemoteCommandEvent) -> String = { _ in "" }
        ) {
            command.addTarget { event in
                dispatchPrecondition(condition: .onQueue(.main))
                #expect(event.command === command)
                #expect(event.timestamp > 0)
                continuation.yield(name + text(event))
                return MPRemoteCommandHandlerStatus.success
            }
        }
        await show(song)
        for name in ["CanPlay", "CanPause", "CanGoNext", "CanGoPrevious", "CanSeek"] {
            #expect(try await property(name) == .bool(false))
        }
        add("play", commands.playCommand)
        add("pause", commands.pauseCommand)
        add("next", commands.nextTrackCommand)
        add("previous", commands.previousTrackCommand)
        let changePosition: MPChangePlaybackPositionCommand = commands.changePlaybackPositionCommand
        add("position ", changePosition) {
            "\(($0 as? MPChangePlaybackPositionCommandEvent)?.positionTime ?? -1)"
        }
        add("rate ", commands.changePlaybackRateCommand) {
            "\(($0 as? MPChangePlaybackRateCommandEvent)?.playbackRate ?? -1)"
        }
        commands.changePlaybackRateCommand.supportedPlaybackRates = [0.5, 1, 2]
        #expect(commands.changePlaybackRateCommand.supportedPlaybackRates == [0.5, 1, 2])
        for name in ["CanPlay", "CanPause", "CanGoNext", "CanGoPrevious", "CanSeek"] {
            #expect(try await property(name) == .bool(true))
        }
        let track = try #require(try await metadata()["mpris:trackid"])
        var next = events.makeAsyncIterator()
        func expect(_ text: String, _ member: String, _ arguments: [BusValue] = []) async {
            await call(member, arguments)
            #expect(await next.next() == text)
        }
        await expect("play", "Play")
        await expect("pause", "Pause")
        await expect("pause", "Stop")
        await expect("play", "PlayPause")
        await expect("next", "Next")
        await expect("previous", "Previous")
        await expect("position 15.0", "Seek", [.int64(5_000_000)])
        await expect("position 0.0", "Seek", [.int64(-50_000_000)])
        // Beyond the end is the next item.
        await expect("next", "Seek", [.int64(500_000_000)])
        // Too late for its item: nothing comes before what comes next.
        await call("SetPosition", [.objectPath("/org/openavfaudio/track/0"), .int64(1)])
        await expect("position 42.0", "SetPosition", [track, .int64(42_000_000)])
        _ = await client.call(
            export.busName, Self.path, "org.freedesktop.DBus.Properties", "Set",
            [.string(Self.player), .string("Rate"), .variant(.double(1.5))])
        #expect(await next.next() == "rate 1.5")
    }

    @Test func stopAndToggle_reachTheirOwnHandlers() async throws {
        let (events, continuation) = AsyncStream<String>.makeStream()
        await show(song)
        commands.stopCommand.addTarget { _ in
            continuation.yield("stop")
            return .commandFailed
        }
        commands.togglePlayPauseCommand.addTarget { _ in
            continuation.yield("toggle")
            return .success
        }
        var next = events.makeAsyncIterator()
        await call("Stop")
        #expect(await next.next() == "stop")
        await call("PlayPause")
        #expect(await next.next() == "toggle")
        #expect(try await property("CanPlay") == .bool(true))
    }

    @Test func skipCommands_haveTheUsersInterval() async throws {
        let (events, continuation) = AsyncStream<Double>.makeStream()
        await show(song)
        commands.skipForwardCommand.preferredIntervals = [15]
        #expect(commands.skipForwardCommand.preferredIntervals == [15])
        commands.skipForwardCommand.addTarget { event in
            continuation.yield((event as? MPSkipIntervalCommandEvent)?.interval ?? 0)
            return .success
        }
        commands.skipBackwardCommand.addTarget { event in
            continuation.yield(-((event as? MPSkipIntervalCommandEvent)?.interval ?? 0))
            return .success
        }
        var next = events.makeAsyncIterator()
        await call("Seek", [.int64(15_000_000)])
        #expect(await next.next() == 15)
        await call("Seek", [.int64(-5_000_000)])
        #expect(await next.next() == -5)
    }

    @Test func repeatAndShuffle_areShown_andAskedFor() async throws {
        func set(_ name: String, _ value: BusValue) async -> Result<[BusValue], BusError> {
            await client.call(
                export.busName, Self.path, "org.freedesktop.DBus.Properties", "Set",
                [.string(Self.player), .string(name), .variant(value)])
        }
        await show(song)
        #expect(try await property("LoopStatus") == .string("None"))
        #expect(try await property("Shuffle") == .bool(false))
        #expect(await set("LoopStatus", .string("Track")) != .success([]))
        #expect(await set("Shuffle", .bool(true)) != .success([]))
        let (events, continuation) = AsyncStream<String>.makeStream()
        commands.changeRepeatModeCommand.addTarget { [commands] event in
            guard let event = event as? MPChangeRepeatModeCommandEvent else { return .commandFailed }
            commands.changeRepeatModeCommand.currentRepeatType = event.repeatType
            continuation.yield("\(event.repeatType) \(event.preservesRepeatMode)")
            return .success
        }
        commands.changeShuffleModeCommand.addTarget { [commands] event in
            guard let event = event as? MPChangeShuffleModeCommandEvent else { return .commandFailed }
            commands.changeShuffleModeCommand.currentShuffleType = event.shuffleType
            continuation.yield("\(event.shuffleType) \(event.preservesShuffleMode)")
            return .success
        }
        var next = events.makeAsyncIterator()
        for (status, type) in [("Track", "one"), ("Playlist", "all"), ("None", "off")] {
            #expect(await set("LoopStatus", .string(status)) == .success([]))
            #expect(await next.next() == "\(type) false")
            #expect(try await property("LoopStatus") == .string(status))
        }
        for (isShuffled, type) in [(true, "items"), (false, "off")] {
            #expect(await set("Shuffle", .bool(isShuffled)) == .success([]))
            #expect(await next.next() == "\(type) false")
            #expect(try await property("Shuffle") == .bool(isShuffled))
        }
        // Of the app's own accord.
        commands.changeShuffleModeCommand.currentShuffleType = .collections
        #expect(try await property("Shuffle") == .bool(true))
        commands.changeRepeatModeCommand.currentRepeatType = .all
        #expect(try await property("LoopStatus") == .string("Playlist"))
        // MPRIS has no such value: nothing is asked for.
        guard case .failure(let error) = await set("LoopStatus", .string("Twice")) else {
            Issue.record("a loop status that MPRIS does not have was set")
            return
        }
        #expect(error.message == "the value must be None, Track or Playlist")
        #expect(await set("LoopStatus", .string("Track")) == .success([]))
        #expect(await next.next() == "one false")
    }

    @Test func commandThatIsDisabledOrWithoutHandlers_isNotOffered() async throws {
        await show(song)
        let token = commands.nextTrackCommand.addTarget { _ in .noSuchContent }
        #expect(try await property("CanGoNext") == .bool(true))
        commands.nextTrackCommand.isEnabled = false
        #expect(!commands.nextTrackCommand.isEnabled)
        #expect(try await property("CanGoNext") == .bool(false))
        commands.nextTrackCommand.isEnabled = true
        commands.nextTrackCommand.removeTarget(token)
        #expect(try await property("CanGoNext") == .bool(false))
    }

    @Test func volume_isTheProgramsIfItHasOne() async throws {
        await show(song)
        func set(_ value: Double) async -> Result<[BusValue], BusError> {
            await client.call(
                export.busName, Self.path, "org.freedesktop.DBus.Properties", "Set",
                [.string(Self.player), .string("Volume"), .variant(.double(value))])
        }
        #expect(await set(0.5) != .success([]))
        let (values, continuation) = AsyncStream<Double>.makeStream()
        export.setVolume(RemoteVolume(value: 0.8) { continuation.yield($0) })
        #expect(try await property("Volume") == .double(0.8))
        for value in [Double.nan, .infinity] { #expect(await set(value) != .success([])) }
        #expect(await set(1.5) == .success([]))
        var next = values.makeAsyncIterator()
        #expect(await next.next() == 1)
    }

    @Test func withoutABus_nothingIsShown_andNothingFails() {
        let export = NowPlayingExport(address: "unix:path=/nowhere/bus")
        let center = MPNowPlayingInfoCenter(export: export)
        let commands = MPRemoteCommandCenter(export: export)
        commands.playCommand.addTarget { _ in .success }
        center.nowPlayingInfo = song
        center.playbackState = .playing
        #expect(center.nowPlayingInfo?[MPMediaItemPropertyTitle] as? String == "Song\u{1B}")
    }

    @Test func singletons_areTheSameEveryTime() {
        #expect(MPNowPlayingInfoCenter.default() === MPNowPlayingInfoCenter.default())
        #expect(MPRemoteCommandCenter.shared() === MPRemoteCommandCenter.shared())
    }

    @Test func numbers_areApples() {
        let statuses: [MPRemoteCommandHandlerStatus] = [
            .success, .noSuchContent, .noActionableNowPlayingItem, .deviceNotFound, .commandFailed,
        ]
        #expect(statuses.map(\.rawValue) == [0, 100, 110, 120, 200])
        let states: [MPNowPlayingPlaybackState] = [.unknown, .playing, .paused, .stopped, .interrupted]
        #expect(states.map(\.rawValue) == [0, 1, 2, 3, 4])
        let types: [MPNowPlayingInfoMediaType] = [.none, .audio, .video]
        #expect(types.map(\.rawValue) == [0, 1, 2])
        #expect([MPRepeatType.off, .one, .all].map(\.rawValue) == [0, 1, 2])
        #expect([MPShuffleType.off, .items, .collections].map(\.rawValue) == [0, 1, 2])
    }

    // MARK: In the app's code

    @Test func handler_mayRemoveItself_andShowAnotherItem() async {
        let (calls, continuation) = AsyncStream<Void>.makeStream()
        commands.playCommand.addTarget { [center, commands] event in
            event.command.removeTarget(nil)
            event.command.isEnabled = false
            center.nowPlayingInfo = nil
            commands.pauseCommand.addTarget { _ in .success }
            continuation.yield()
            return .success
        }
        commands.playCommand.send()
        for await _ in calls { break }
        #expect(!commands.playCommand.isAvailable && commands.pauseCommand.isAvailable)
        #expect(center.nowPlayingInfo == nil)
    }

    @Test func pictureHandler_mayShowAnotherItem() async {
        let (calls, continuation) = AsyncStream<Void>.makeStream()
        let artwork = MPMediaItemArtwork(boundsSize: CGSize(width: 1, height: 1)) { [center] _ in
            center.nowPlayingInfo = nil
            continuation.yield()
            return Data()
        }
        center.nowPlayingInfo = song.merging([MPMediaItemPropertyArtwork: artwork]) { $1 }
        for await _ in calls { break }
        #expect(center.nowPlayingInfo == nil)
    }

    @Test func objects_thatGoWithAHandlerAndAnItem_mayUseBoth() {
        let ended = History<String>()
        let command = commands.playCommand
        func addTarget() -> Any {
            let object = AtEnd {
                command.isEnabled = false
                ended.append("handler")
            }
            return command.addTarget { _ in withExtendedLifetime(object) { .success } }
        }
        func showItem() {
            let object = AtEnd { [center] in
                center.nowPlayingInfo = nil
                ended.append("item")
            }
            let artwork = MPMediaItemArtwork(boundsSize: .zero) { _ in withExtendedLifetime(object) { Data() } }
            center.nowPlayingInfo = [MPMediaItemPropertyArtwork: artwork]
        }
        command.removeTarget(addTarget())
        showItem()
        center.nowPlayingInfo = [:]
        #expect(ended.entries.first == "handler")
        #expect(!command.isEnabled)
    }

    // MARK: playerctl

    /// The main queue stays free for the handlers.
    private func playerctl(_ words: String...) async throws -> String {
        let result = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [address = bus.address] in
                continuation.resume(returning: Result { try PrivateBus.playerctl(words, at: address) })
            }
        }
        return try result.get()
    }

    @Test func playerctl_seesAndControlsIt() async throws {
        let (events, continuation) = AsyncStream<String>.makeStream()
        commands.pauseCommand.addTarget { _ in
            continuation.yield("pause")
            return .success
        }
        commands.nextTrackCommand.addTarget { _ in
            continuation.yield("next")
            return .success
        }
        commands.changePlaybackPositionCommand.addTarget { event in
            continuation.yield("\((event as? MPChangePlaybackPositionCommandEvent)?.positionTime ?? 0)")
            return .success
        }
        // Without it, playerctl does not ask for the metadata.
        commands.playCommand.addTarget { _ in .success }
        await show(song)
        #expect(try await playerctl("status") == "Paused")
        #expect(try await playerctl("metadata", "xesam:artist") == "Artist")
        #expect(try await playerctl("position") == "10.000000")
        var next = events.makeAsyncIterator()
        _ = try await playerctl("pause")
        #expect(await next.next() == "pause")
        _ = try await playerctl("next")
        #expect(await next.next() == "next")
        _ = try await playerctl("position", "30")
        #expect(await next.next() == "30.0")
    }

    @Test func languageOptions_areKept() {
        #expect(MPNowPlayingInfoLanguageOptionType.audible.rawValue == 0)
        #expect(MPNowPlayingInfoLanguageOptionType.legible.rawValue == 1)
        let option = MPNowPlayingInfoLanguageOption(
            type: .audible, languageTag: "en-US", characteristics: ["main"], displayName: "English", identifier: "1")
        #expect((option.languageOptionType, option.languageTag) == (.audible, "en-US"))
        #expect(option.languageOptionCharacteristics == ["main"])
        #expect((option.displayName, option.identifier) == ("English", "1"))
        let group = MPNowPlayingInfoLanguageOptionGroup(
            languageOptions: [option], defaultLanguageOption: option, allowEmptySelection: true)
        #expect(group.languageOptions == [option] && group.defaultLanguageOption === option)
        #expect(group.allowEmptySelection)
    }

    @Test func mediaTypes_areApplesNumbers() {
        let types: [MPMediaType] = [.music, .podcast, .audioBook, .audioITunesU, .anyAudio]
        #expect(types.map(\.rawValue) == [1, 2, 4, 8, 255])
    }

    @Test func whatDesktopsDoNotShow_isKept() {
        let keys = [
            MPMediaItemPropertyAlbumTrackCount,
            MPMediaItemPropertyDiscCount,
            MPMediaItemPropertyPersistentID,
            MPMediaItemPropertyAlbumPersistentID,
            MPMediaItemPropertyArtistPersistentID,
            MPMediaItemPropertyIsCloudItem,
            MPMediaItemPropertyIsExplicit,
            MPMediaItemPropertyIsCompilation,
            MPMediaItemPropertyPodcastTitle,
            MPMediaItemPropertyLyrics,
            MPMediaItemPropertyReleaseDate,
            MPMediaItemPropertyRating,
            MPMediaItemPropertyComments, MPMediaItemPropertyMediaType, MPMediaItemPropertyBookmarkTime,
            MPMediaItemPropertyBeatsPerMinute,
            MPMediaItemPropertyAssetURL,
            MPNowPlayingInfoCollectionIdentifier,
            MPNowPlayingInfoPropertyPlaybackQueueIndex,
            MPNowPlayingInfoPropertyPlaybackQueueCount,
            MPNowPlayingInfoPropertyChapterNumber,
            MPNowPlayingInfoPropertyChapterCount,
            MPNowPlayingInfoPropertyPlaybackProgress,
            MPNowPlayingInfoPropertyCurrentPlaybackDate,
            MPNowPlayingInfoPropertyAvailableLanguageOptions,
            MPNowPlayingInfoPropertyCurrentLanguageOptions,
            MPNowPlayingInfoPropertyServiceIdentifier,
            MPNowPlayingInfoPropertyExternalUserProfileIdentifier,
        ]
        #expect(Set(keys).count == 28)
        center.nowPlayingInfo = Dictionary(uniqueKeysWithValues: keys.map { ($0, 1) })
        #expect(center.nowPlayingInfo?.count == keys.count)
        for command in [commands.likeCommand, commands.dislikeCommand, commands.bookmarkCommand] {
            (command.isActive, command.localizedTitle, command.localizedShortTitle) = (true, "I like it", "Like")
            command.addTarget { ($0 as? MPFeedbackCommandEvent)?.isNegative == false ? .success : .commandFailed }
            #expect(command.isActive)
            #expect([command.localizedTitle, command.localizedShortTitle] == ["I like it", "Like"])
        }
    }
}
