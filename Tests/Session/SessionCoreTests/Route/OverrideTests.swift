import AudioModel
import SessionCore
import Testing

struct OverrideTests {
    private let phone = [Ports.speaker, Ports.receiver, Ports.mic]

    // Behaviour 11
    @Test func ownOverrideReportsOverrideOnce() {
        var bench = Bench(phone, output: Ports.speaker, category: .playAndRecord)
        let stream = bench.open()
        let effects = bench.override(.speaker)
        #expect(effects.replyError() == nil)
        #expect(effects.silent.first == .linkStream(stream, [Ports.speaker]))
        #expect(bench.override(.speaker).silent == [])
        #expect(bench.reasons == [.override])
        #expect(bench.routeChanges.first?.current.outputs == [Ports.speaker])

        bench.override(.none)
        #expect(bench.reasons == [.override, .override])
        #expect(bench.state.route.outputs == [Ports.receiver])
    }

    // Behaviour 12
    @Test func overrideEndsOnNextRouteChange() {
        var bench = Bench(phone, output: Ports.speaker, category: .playAndRecord)
        bench.override(.speaker)
        let all = phone + [Ports.headphones, Ports.headsetMic]
        bench.plug(all, output: Ports.headphones, input: Ports.headsetMic)
        #expect(bench.state.override == .none)
        #expect(bench.state.route == Route(inputs: [Ports.headsetMic], outputs: [Ports.headphones]))
        #expect(bench.reasons == [.override, .newDeviceAvailable])
        // It does not come back by itself.
        bench.plug(phone, output: Ports.speaker)
        #expect(bench.state.route.outputs == [Ports.receiver])
    }

    /// An active session on a phone whose output is overridden.
    private func overridden() -> Bench {
        var bench = Bench(phone, output: Ports.speaker, category: .playAndRecord)
        bench.activate()
        bench.override(.speaker)
        return bench
    }

    // Behaviour 90
    @Test func overrideEndsWithInterruptionDeactivationAndMode() {
        var (deactivated, interrupted, changed, moved) = (overridden(), overridden(), overridden(), overridden())
        deactivated.deactivate()
        _ = interrupted.join(Bench.music)
        changed.configure(SessionConfiguration(category: .playAndRecord, mode: .measurement))
        moved.configure(SessionConfiguration(category: .playback))
        moved.configure(SessionConfiguration(category: .playAndRecord))
        for bench in [deactivated, interrupted, changed, moved] {
            #expect(bench.state.override == .none)
            #expect(bench.state.route.outputs == [Ports.receiver])
        }
        #expect(deactivated.reasons == [.override, .override])
        #expect(interrupted.reasons == [.override, .override])
        #expect(changed.reasons == [.override, .categoryChange])
    }

    /// The options say nothing of the speaker that the app has asked for.
    @Test func override_whileTheOptionsChange_stays() {
        var bench = overridden()
        bench.configure(SessionConfiguration(category: .playAndRecord, options: .mixWithOthers))
        #expect(bench.state.override == .speaker)
    }

    @Test func override_whileAnIdlePortComes_stays() {
        var bench = Bench(phone, output: Ports.speaker, category: .playAndRecord)
        bench.override(.speaker)
        #expect(bench.plug(phone + [Ports.hdmi], output: Ports.speaker) == [])
        #expect(bench.state.override == .speaker)
    }

    @Test func override_whenTheRouteBelowItGoes_ends() {
        var bench = Bench(phone + [Ports.headphones], output: Ports.headphones, category: .playAndRecord)
        let stream = bench.open()
        bench.override(.speaker)
        #expect(bench.state.route.outputs == [Ports.speaker])
        let effects = bench.plug(phone, output: Ports.speaker)
        #expect(bench.state.override == .none)
        #expect(effects == [.linkStream(stream, [Ports.receiver])] + effects.suffix(1))
        #expect(effects.change?.reason == .override, "the headphones were not in the route: only the override went")
    }

    // Behaviour 13
    @Test func overrideRejectedOutsidePlayAndRecord() {
        for category in [SessionCategory.ambient, .soloAmbient, .playback, .record] {
            var bench = Bench(phone, output: Ports.speaker, category: category)
            for override in [OutputOverride.speaker, .none] {
                let effects = bench.override(override)
                #expect(effects.replyError()?.code == .badParam)
                #expect(effects.replyError()?.message.contains("category \(category)") == true)
                #expect(effects.count == 1)
            }
            #expect(bench.routeChanges.isEmpty)
        }
    }

    @Test func override_withoutASpeaker_isNotAvailable() {
        var bench = Bench([Ports.usb, Ports.mic], output: Ports.usb, category: .playAndRecord)
        let effects = bench.override(.speaker)
        #expect(effects.replyError()?.code == .resourceNotAvailable)
        #expect(effects.replyError()?.message.contains("\"usb\"") == true)
        #expect(effects.count == 1)
    }

    @Test func override_whenTheCategoryChanges_ends() {
        var bench = Bench(phone, output: Ports.speaker, category: .playAndRecord)
        bench.override(.speaker)
        bench.configure(SessionConfiguration(category: .playback))
        bench.configure(SessionConfiguration(category: .playAndRecord))
        #expect(bench.state.override == .none)
        #expect(bench.state.route.outputs == [Ports.receiver])
        #expect(bench.reasons == [.override, .categoryChange, .categoryChange])
    }

    @Test func override_whenTheUserChoosesAnOutput_ends() {
        var bench = Bench(phone + [Ports.hdmi], output: Ports.speaker, category: .playAndRecord)
        bench.override(.speaker)
        let effects = bench.feed(.host(.outputChosenByUser(uid: Ports.hdmi.uid)))
        #expect(effects.change?.reason == .override)
        #expect(bench.state.override == .none)
        #expect(bench.state.route.outputs == [Ports.hdmi])
    }

    @Test func override_thatMovesNothing_postsNothing() {
        var bench = Bench([Ports.speaker], output: Ports.speaker, category: .playAndRecord)
        #expect(bench.override(.speaker).silent == [])
        #expect(bench.state.override == .speaker)
        #expect(bench.override(.none).silent == [])
    }
}
