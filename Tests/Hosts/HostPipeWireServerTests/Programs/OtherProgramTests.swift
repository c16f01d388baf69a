import AudioModel
import Foundation
import HostInterface
import HostPipeWire
import PipeWireRig
import TestSupport
import Testing

extension ServerTests {
    /// Programs that play without knowing of us, and peers that do.
    @Suite struct OtherProgramTests {
        @Test func foreignStream_isToldWhileItRuns_withItsRoleAndName() throws {
            let server = try PrivatePipeWire.start()
            let headphones = try server.makeHeadphones()
            let client = try Client(server)
            let music = try server.play(role: "Music")
            let first = try client.log.wait(for: "the music") { $0.foreignStreams?.map(\.role) == ["Music"] }
            #expect(first.foreignStreams?.first?.name == "pw-play")
            let call = try server.play(role: "Phone")
            let both = try client.log.wait(for: "the call") { log in
                log.foreignStreams?.map(\.role) == ["Music", "Phone"]
                    && log.foreignStreams?.contains(where: \.isSilent) == false
            }
            let start = client.log.count
            kill(call.processIdentifier, SIGKILL)
            let told = try client.log.wait(for: "its end", from: start) { $0.foreignStreams?.count == 1 }
            #expect(told == [.foreignStreamsChanged([try #require(both.foreignStreams?.first)])])
            music.terminate()
            try client.log.wait(for: "silence", from: start) { $0.foreignStreams == [] }
            withExtendedLifetime(headphones) {}
        }

        /// The session manager moves it, and it stands still for a while: that is no end of a call.
        @Test func callWhoseHeadphonesGo_goesOn() throws {
            let server = try PrivatePipeWire.start()
            let (speaker, first) = try server.makeSpeakerAndHeadphones()
            var headphones = first
            let client = try Client(server)
            let call = try server.play(role: "Phone")
            var told: [[ForeignStream]] = []
            var start = 0
            // A session manager that gets no time to move it makes the pause longer than a stop is kept back, and not in
            // each of five rounds.
            for round in 0..<5 {
                if round > 0 { headphones = try server.makeHeadphones() }
                try server.waitUntil("it is on the headphones") { $0.feeders(of: "headphones").count == 1 }
                try client.log.wait(for: "the call") { $0.foreignStreams?.map(\.role) == ["Phone"] }
                start = client.log.count
                headphones.destroy()
                try server.waitUntil("it is on the speaker") { $0.feeders(of: "speaker").count == 1 }
                // Longer than it takes to run again, and than a stop is kept back.
                let music = try server.play(role: "Music")
                try client.log.wait(for: "more than the call", from: start) { $0.foreignStreams?.count == 2 }
                kill(music.processIdentifier, SIGKILL)
                try client.log.wait(for: "the call alone", from: start) { $0.foreignStreams?.map(\.role) == ["Phone"] }
                told = client.log.entries.dropFirst(start).compactMap { [$0].foreignStreams }
                if told.allSatisfy({ $0.contains { $0.role == "Phone" } }) { break }
            }
            #expect(told.allSatisfy { $0.contains { $0.role == "Phone" } }, "\(told)")
            kill(call.processIdentifier, SIGKILL)
            try client.log.wait(for: "silence", from: start) { $0.foreignStreams == [] }
            withExtendedLifetime(speaker) {}
        }

        /// A sound library that this process uses beside us is no other program.
        @Test func streamOfThisProcess_isNotForeign() throws {
            let server = try PrivatePipeWire.start()
            let headphones = try server.makeHeadphones()
            let client = try Client(server)
            let tone = try server.makeTone(name: "beside", routing: .linked(to: "headphones"))
            tone.play(frames: nil)
            try headphones.meter.wait(loudFrames: 4800)
            let music = try server.play(role: "Music")
            let told = try client.log.wait(for: "the music") { $0.foreignStreams != nil }
            #expect(told.foreignStreams?.map(\.role) == ["Music"])
            music.terminate()
            withExtendedLifetime(tone) {}
        }

        @Test func loopbacksAndEffects_areNoPrograms() throws {
            let server = try PrivatePipeWire.start()
            let headphones = try server.makeHeadphones()
            let client = try Client(server)
            let virtual = try server.play(role: "Phone", properties: ["node.virtual": "true"])
            let effect = try server.play(role: "Phone", properties: ["node.link-group": "effect-1"])
            let music = try server.play(role: "Music")
            try client.log.wait(for: "the music") { $0.foreignStreams?.count == 1 }
            // They have run before the music at the latest: the server tells of it in one order.
            try server.waitUntil("all three play") { $0.feeders(of: "headphones").count == 3 }
            // A busy machine may keep the music itself waiting for so long that it counts as stopped meanwhile.
            #expect(client.log.entries.compactMap { [$0].foreignStreams }.joined().allSatisfy { $0.role == "Music" })
            for program in [virtual, effect, music] { program.terminate() }
            withExtendedLifetime(headphones) {}
        }

        @Test func streamOfAPeer_isThePeersPlaying_andWithoutItsClaimForeign() throws {
            let server = try PrivatePipeWire.start()
            let headphones = try server.makeHeadphones()
            let (peer, client) = (try Client(server), try Client(server))
            let serial = try peer.claim(1)
            try client.log.wait(for: "the peer") { $0.peers.last?.isPlaying == false }
            let renderer = LoudRenderer()
            let stream = try peer.openStream(renderer)
            defer { stream.close() }
            try stream.link(to: ["headphones"])
            try client.log.wait(for: "the peer's sound") { $0.peers.last?.isPlaying == true }
            #expect(client.log.entries.foreignStreams == nil)

            // A claim that takes another's place, as one with other options does.
            var start = client.log.count
            let next = try peer.claim(2)
            peer.host.release(ClaimID(number: 1), notifyingOthers: false)
            let changed = try client.log.wait(for: "the new claim instead", from: start) { $0.departures == [serial] }
            #expect(changed.peerSerials == [next] && changed.peers.allSatisfy(\.isPlaying), "\(changed)")
            // Both are one session's.
            #expect(Set(client.log.entries.peers.map(\.owner)).count == 1 && changed.peers[0].owner != nil)
            #expect(changed.foreignStreams == nil)

            start = client.log.count
            peer.host.release(ClaimID(number: 2), notifyingOthers: false)
            let told = try client.log.wait(for: "a foreign stream", from: start) { $0.foreignStreams != nil }
            #expect(told.foreignStreams?.map(\.role) == ["Music"])
            start = client.log.count
            stream.stop()
            try client.log.wait(for: "silence", from: start) { $0.foreignStreams == [] }
            // Its own streams belong to no other program.
            #expect(peer.log.entries.foreignStreams == nil && peer.log.entries.peers.isEmpty, "\(peer.log.entries)")
            withExtendedLifetime((headphones, renderer)) {}
        }

        /// A session stops its players when it takes its claim down, and they may be a little later.
        @Test func streamThatStopsWithItsClaim_isNeverForeign() throws {
            let server = try PrivatePipeWire.start()
            let headphones = try server.makeHeadphones()
            let (peer, client) = (try Client(server), try Client(server))
            let renderer = LoudRenderer()
            let stream = try peer.openStream(renderer)
            defer { stream.close() }
            for number in 1...5 as ClosedRange<UInt64> {
                var start = client.log.count
                let serial = try peer.claim(number)
                stream.start()
                try stream.link(to: ["headphones"])
                try client.log.wait(for: "the peer's sound", from: start) { $0.peers.last?.isPlaying == true }
                start = client.log.count
                peer.host.release(ClaimID(number: number), notifyingOthers: false)
                stream.stop()
                try client.log.wait(for: "its end", from: start) { $0.departures == [serial] }
                // Long after it: a foreign stream's stop is kept back for as long.
                let music = try server.play(role: "Game")
                try client.log.wait(for: "the game", from: start) { $0.foreignStreams?.map(\.role) == ["Game"] }
                kill(music.processIdentifier, SIGKILL)
                let told = try client.log.wait(for: "its silence", from: start) { $0.foreignStreams == [] }
                #expect(told.allSatisfy { [$0].foreignStreams?.contains { $0.role == "Music" } != true }, "\(told)")
            }
            withExtendedLifetime((headphones, renderer)) {}
        }

        @Test func claimsOfOthers_thatMakeNoSense_areReadAsTheNearestSense() throws {
            let server = try PrivatePipeWire.start()
            let (client, victim) = (try Client(server), try Client(server))
            let own = try victim.claim(1)
            let owner = try #require(
                try client.log.wait(for: "the session") { $0.peerSerials == [own] }.peers.last?.owner)
            let long = String(repeating: "long", count: 200)
            let hostile: [[String: String]] = [
                [:],
                ["category": "hologram", "mode": "telepathy", "policy": "none", "options": "-1", "version": "99"],
                ["category": long, "mode": long, "options": "99999999999999999999999"],
                ["category": "ambient\u{1B}[2J", "mode": "", "options": "0x10"],
                ["category": "record", "options": "4294967295"],
            ]
            for (number, claim) in hostile.enumerated() {
                var properties = Dictionary(uniqueKeysWithValues: claim.map { ("audiosession.claim.\($0)", $1) })
                properties["node.name"] = "audiosession.claim"
                properties["application.name"] = "\(number)\u{1B}\(long)"
                properties["object.serial"] = "1"
                // Of no program, and of a session that lives.
                properties["client.id"] = number == 0 ? "x" : "\(owner)"
                try server.publishNode(properties)
            }
            let told = try client.log.wait(for: "all claims") { $0.peerSerials.count == hostile.count + 1 }
            try victim.log.wait(for: "all others' claims") { $0.peerSerials.count == hostile.count }
            let others = told.peers.filter { $0.serial != own }
            let read = others.reduce(into: [:]) { $0[$1.serial] = $1 }.values.sorted { $0.serial < $1.serial }
            #expect(read.map(\.configuration.category) == [.playback, .playback, .playback, .playback, .record])
            #expect(read.allSatisfy { $0.configuration.mode == .default && $0.configuration.policy == .default })
            #expect(read.map(\.configuration.options.rawValue) == [0, 0, 0, 0, 4_294_967_295])
            #expect(read.allSatisfy { $0.name.unicodeScalars.count == 128 })
            #expect(Set(read.map(\.serial)).count == hostile.count)
            #expect(read.allSatisfy { $0.owner != owner && $0.owner != nil })
            try client.claim(1)
        }

        /// `pw-play` sets its volume when it runs already.
        @Test func programThatIsSilentFromItsStart_isToldSo_andWhenItIsHeard() throws {
            let server = try PrivatePipeWire.start()
            defer { server.stop() }
            _ = try server.makeSpeakerAndHeadphones()
            let client = try Client(server)
            let call = try server.play(role: "Phone", isSilent: true)
            defer { call.terminate() }
            func wait(isSilent: Bool, from start: Int) throws {
                try client.log.wait(for: "silent \(isSilent)", from: start) {
                    $0.foreignStreams?.first?.isSilent == isSilent
                }
            }
            try wait(isSilent: true, from: 0)
            for (number, text) in [
                "{ volume: 1.0 }", "{ mute: true }", "{ mute: false }", "{ channelVolumes: [ 0.0, 0.0 ] }",
                "{ channelVolumes: [ 0.0, 0.5 ] }", "{ volume: 0.0 }",
            ].enumerated() {
                let start = client.log.count
                try server.setStreamProps(text, role: "Phone")
                try wait(isSilent: number % 2 == 1, from: start)
            }
        }

        @Test func claims_putUpAndTakenDown_twoHundredTimes_leaveNothingBehind() async throws {
            await #expect(processExitsWith: .success) {
                let server = try PrivatePipeWire.start()
                let (first, second) = (try Client(server), try Client(server))
                func round(_ number: UInt64) throws {
                    let start = second.log.count
                    let serial = try first.claim(number)
                    try second.log.wait(for: "the peer", from: start) { $0.peerSerials == [serial] }
                    first.host.release(ClaimID(number: number), notifyingOthers: number % 2 == 0)
                    try second.log.wait(for: "its end", from: start) { $0.departures == [serial] }
                }
                func descriptors() throws -> Int {
                    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
                }
                for number in 1...20 { try round(UInt64(number)) }
                let before = try descriptors()
                for number in 21...220 { try round(UInt64(number)) }
                // A claim has three descriptors: one leak in ten would show.
                #expect(try descriptors() - before < 20)
                first.host.shutdown()
                second.host.shutdown()
                server.stop()
            }
        }
    }
}
