import PipeWireRig
import Testing

extension RigTests {
    @Suite struct CardTests {
        private func playingCard(
            _ configuration: VirtualCard.Configuration = .init()
        ) throws -> (PrivatePipeWire, VirtualCard, ToneGenerator) {
            let rig = try PrivatePipeWire.start()
            let card = try rig.makeCard(configuration)
            try rig.waitUntilDefaultSink(is: card.sinkName)
            try card.waitUntilActive(.headphones)
            let tone = try rig.makeTone()
            try rig.waitUntil("tone", feeds: card.sinkName)
            try tone.waitUntilStreaming()
            tone.play(frames: nil)
            return (rig, card, tone)
        }

        @Test(arguments: [false, true])
        func jack_whenUnplugged_movesTheRouteToTheSpeakerOfTheSameSink(likeACP: Bool) throws {
            let (rig, card, _) = try playingCard(likeACP ? .likeACP : .init())
            let sink = try #require(try rig.graph.node(named: card.sinkName))
            card.mark()
            let before = try card.wait(frames: 24_000)
            #expect(before.headphonesFrames > 0)
            #expect(before.speakerFrames == 0)

            let unplugged = card.unplugHeadphones()
            try card.waitUntilActive(.speaker)
            // From here on: the session manager may have taken its time.
            let after = try card.wait(frames: card.reading.frames + 48_000)
            // A tone that is not paused goes on on the speaker: the count can fire.
            #expect(after.speakerFrames > 0)
            let first = try #require(after.speakerFirstLoudAtNanoseconds)
            #expect(first > unplugged)
            #expect(try rig.graph.node(named: card.sinkName) == sink)
            try rig.waitUntilDefaultSink(is: card.sinkName)

            card.plugHeadphones()
            try card.waitUntilActive(.headphones)
        }

        @Test func jack_whenTheCardMovesRoutesItself_movesAtOnce() throws {
            var configuration = VirtualCard.Configuration()
            configuration.movesRouteItself = true
            let (_, card, _) = try playingCard(configuration)
            card.unplugHeadphones()
            #expect(card.activeOutput == .speaker)
        }

        @Test func route_whenHeadphonesGoUnknownThenNo_movesToTheSpeakerAndBack() throws {
            let (rig, card, _) = try playingCard()
            card.setAvailability(of: .headphones, to: .unknown)
            // Unknown alone is no reason to move; that is not asserted here, only that it does no harm.
            card.setAvailability(of: .headphones, to: .no)
            try card.waitUntilActive(.speaker)
            card.setAvailability(of: .headphones, to: .yes)
            try card.waitUntilActive(.headphones)
            // While the active route is "no", WirePlumber 0.4 counts the sink as unavailable for a moment.
            try rig.waitUntilDefaultSink(is: card.sinkName)
        }

        @Test func speaker_whileItsRouteIsMuted_emitsNothing() throws {
            let (_, card, _) = try playingCard()
            card.setMuted(true, .headphones)
            card.mark()
            let muted = try card.wait(frames: 24_000)
            #expect(muted.headphonesFrames == 0)
            #expect(muted.speakerFrames == 0)
            #expect(muted.mutedFrames > 0)
            card.setMuted(false, .headphones)
            card.mark()
            let audible = try card.wait(frames: 24_000)
            #expect(audible.headphonesFrames > 0)
            #expect(audible.mutedFrames == 0)
        }

        @Test func ring_afterTheToneEnds_emitsItsFramesLater() throws {
            var configuration = VirtualCard.Configuration()
            configuration.ringFrames = 9_600
            let (_, card, tone) = try playingCard(configuration)
            // The ring's content, and at most two quanta of 1024 that were on their way at the mark.
            let emitted = 9_600...9_600 + 2_048
            let reading = try undisturbed({ emitted.contains($0.headphonesFrames) }) {
                tone.play(frames: nil)
                card.mark()
                _ = try card.wait(frames: 24_000)
                tone.play(frames: 0)
                card.mark()
                return try card.wait(frames: 48_000)
            }
            #expect(emitted.contains(reading.headphonesFrames), "\(reading)")
        }

        @Test func microphone_ofTheCard_isTheDefaultSource() throws {
            let (rig, card, _) = try playingCard()
            try rig.waitUntilDefaultSource(is: card.sourceName)
            let node = try #require(try rig.graph.node(named: card.sourceName))
            #expect(node.mediaClass == "Audio/Source")
        }

        @Test func card_whenRemoved_takesItsNodesAlong() throws {
            let (rig, card, _) = try playingCard()
            card.remove()
            try rig.waitUntil("the card's nodes go") {
                $0.node(named: card.sinkName) == nil && $0.node(named: card.sourceName) == nil
            }
            #expect(card.activeOutput == nil)
        }
    }
}
