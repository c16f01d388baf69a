import RenderCore
import Testing

@Suite struct RendererTests {
    private func close(_ a: [Float], _ b: [Float]) -> Bool {
        // Two roundings at a magnitude of up to 4.
        a.count == b.count && zip(a, b).allSatisfy { abs($0 - $1) <= 8 * Float.ulpOfOne }
    }

    private let ones = [Float](repeating: 1, count: 60)
    private let twos = [Float](repeating: 2, count: 60)

    @Test func cycle_withoutAPlan_isSilent() {
        let rig = RendererRig()
        #expect(rig.cycle(outputs: 2, 3) == [[0, 0, 0], [0, 0, 0]])
        #expect(rig.renderer.pointee.clock.last()?.frames == 3)
    }

    @Test func sources_ofAPlan_areMixedByItsMatrix() {
        let rig = RendererRig()
        rig.addSource(playing: ones)
        rig.addSource(playing: twos)
        rig.publish(rig.makePlan([0, 1], outputs: 3, [1, 1, 0.5, 0, 0, 0]))
        #expect(rig.cycle(outputs: 4, 2) == [[3, 3], [0.5, 0.5], [0, 0], [0, 0]])
        #expect(rig.renderer.pointee.levels.consume(channel: 0) == 3)
    }

    @Test func levels_areThePeaksOfEachOutputSinceTheyWereTaken() {
        let rig = RendererRig()
        rig.addSource(playing: [0.5, -1, 0.25, 0.125])
        rig.publish(rig.makePlan([0], outputs: 3, [1, 0.5, 1]))
        _ = rig.cycle(outputs: 3, 2)
        _ = rig.cycle(outputs: 3, 1)
        let levels = { (0..<4).map { rig.renderer.pointee.levels.consume(channel: $0) } }
        // The rig meters two channels.
        #expect(levels() == [1, 0.5, 0, 0])
        #expect(levels() == [0, 0, 0, 0])
        _ = rig.cycle(outputs: 3, 1)
        #expect(levels() == [0.125, 0.0625, 0, 0])
    }

    @Test func source_leftOutByANewPlan_fadesAndThenHolds() {
        let rig = RendererRig()
        rig.addSource(playing: ones)
        rig.addSource(playing: twos)
        rig.publish(rig.makePlan([0, 1], outputs: 1, [1, 1]))
        #expect(rig.cycle(2) == [[3, 3]])
        rig.publish(rig.makePlan([0], outputs: 1, [1]))
        #expect(close(rig.cycle(3)[0], [2.6, 2.2, 1.8]))
        #expect(rig.reclaim() == 0)
        #expect(close(rig.cycle(4)[0], [1.4, 1, 1, 1]))
        #expect(rig.reclaim() == 1)
        _ = rig.cycle(10)
        #expect(rig.sources[0].pointee.position.frames(since: 0) == 19)
        // Rendered until the cycle in which the slide ended.
        #expect(rig.sources[1].pointee.position.frames(since: 0) == 9)
    }

    @Test func source_addedByANewPlanAtItsBeginning_isPassedOnAsItIs() {
        let rig = RendererRig()
        rig.addSource(playing: ones)
        rig.addSource(playing: twos)
        rig.publish(rig.makePlan([0], outputs: 1, [1]))
        #expect(rig.cycle(2) == [[1, 1]])
        rig.publish(rig.makePlan([1, 0], outputs: 1, [1, 1]))
        #expect(rig.cycle(6) == [[3, 3, 3, 3, 3, 3]])
    }

    @Test func planAfterACut_fadesInFromSilence_andTheOneBeforeIsHeardNoMore() {
        let rig = RendererRig()
        rig.addSource(playing: ones)
        rig.addSource(playing: twos)
        rig.publish(rig.makePlan([0, 1], outputs: 2, [1, 1, 0, 0]))
        #expect(rig.cycle(outputs: 2, 2) == [[3, 3], [0, 0]])
        rig.renderer.pointee.noteCut()
        rig.publish(rig.makePlan([0], outputs: 2, [0, 1]))
        let after = rig.cycle(outputs: 2, 6)
        #expect(after[0] == [0, 0, 0, 0, 0, 0])
        #expect(close(after[1], [0.2, 0.4, 0.6, 0.8, 1, 1]))
        // One cut, one such plan.
        rig.publish(rig.makePlan([0], outputs: 2, [1, 0]))
        #expect(close(rig.cycle(outputs: 2, 5)[1], [0.8, 0.6, 0.4, 0.2, 0]))
    }

    @Test func cut_underASlide_endsIt() {
        let rig = RendererRig()
        rig.addSource(playing: ones)
        rig.publish(rig.makePlan([0], outputs: 2, [1, 0]))
        _ = rig.cycle(outputs: 2, 2)
        rig.publish(rig.makePlan([0], outputs: 2, [0, 0]))
        #expect(close(rig.cycle(outputs: 2, 2)[0], [0.8, 0.6]))
        rig.renderer.pointee.noteCut()
        rig.publish(rig.makePlan([0], outputs: 2, [0, 1]))
        let after = rig.cycle(outputs: 2, 5)
        #expect(after[0] == [0, 0, 0, 0, 0])
        #expect(close(after[1], [0.2, 0.4, 0.6, 0.8, 1]))
    }

    @Test func source_addedAgainInTheMiddle_fadesIn() {
        let rig = RendererRig()
        rig.addSource(playing: ones)
        rig.addSource(playing: twos)
        rig.publish(rig.makePlan([0, 1], outputs: 1, [1, 1]))
        _ = rig.cycle(2)
        rig.publish(rig.makePlan([0], outputs: 1, [1]))
        _ = rig.cycle(10)
        rig.publish(rig.makePlan([1, 0], outputs: 1, [1, 1]))
        #expect(close(rig.cycle(6)[0], [1.4, 1.8, 2.2, 2.6, 3, 3]))
    }

    @Test func plan_publishedDuringASlide_waitsForItsEnd() {
        let rig = RendererRig()
        rig.addSource(playing: ones)
        rig.publish(rig.makePlan([0], outputs: 1, [1]))
        _ = rig.cycle(1)
        rig.publish(rig.makePlan([0], outputs: 1, [0]))
        #expect(close(rig.cycle(3)[0], [0.8, 0.6, 0.4]))
        rig.publish(rig.makePlan([0], outputs: 1, [1]))
        #expect(close(rig.cycle(3)[0], [0.2, 0, 0]))
        #expect(close(rig.cycle(3)[0], [0.2, 0.4, 0.6]))
    }

    @Test func retiredPlans_beyondTheRing_areKeptAndComeBackLater() {
        let rig = RendererRig(retiredPlanCapacity: 2)
        rig.addSource(playing: ones)
        // Gated cycles end a slide at once: one plan retired a cycle.
        for gain in 1...4 as ClosedRange<Int> {
            rig.publish(rig.makePlan([0], outputs: 1, [Float(gain)]))
            _ = rig.cycle(1, isGated: true)
        }
        // Three retired: two in the ring, one held.
        rig.publish(rig.makePlan([0], outputs: 1, [5]))
        _ = rig.cycle(1, isGated: true)
        #expect(rig.cycle(1) == [[4]], "goes on with the plan it has")
        #expect(rig.livePlans.count == 5)
        #expect(rig.reclaim() == 2)
        _ = rig.cycle(1, isGated: true)
        #expect(rig.reclaim() == 2)
        #expect(close(rig.cycle(6)[0].suffix(1), [5]))
    }

    /// The same cycles are passed on without questions while nothing changes; each change ends that at once.
    @Test func changes_whileCyclesAreAllAlike_takeEffectInTheNextOne() {
        let rig = RendererRig()
        let source = rig.addSource(playing: ones)
        rig.publish(rig.makePlan([0], outputs: 1, [1]))
        for _ in 0..<3 { #expect(rig.cycle(4) == [[1, 1, 1, 1]]) }
        #expect(source.pointee.position.frames(since: 0) == 12)

        #expect(rig.cycle(4, isGated: true) == [[0, 0, 0, 0]])
        // Fades in from silence, then all alike again.
        #expect(close(rig.cycle(5)[0], [0.2, 0.4, 0.6, 0.8, 1]))
        #expect(rig.cycle(4) == [[1, 1, 1, 1]])

        var parameters = SourceParameters()
        parameters.playback = .playing(from: .min)
        parameters.volume = 0.5
        source.pointee.parameters.publish(parameters)
        #expect(close(rig.cycle(5)[0], [0.9, 0.8, 0.7, 0.6, 0.5]))
        #expect(rig.cycle(4) == [[0.5, 0.5, 0.5, 0.5]])
        parameters.volume = 1
        source.pointee.parameters.publish(parameters)
        _ = rig.cycle(5)
        for _ in 0..<2 { #expect(rig.cycle(4) == [[1, 1, 1, 1]]) }
        #expect(source.pointee.position.frames(since: 0) == 43)

        parameters.playback = .paused
        parameters.pauseRequests = 1
        source.pointee.parameters.publish(parameters)
        #expect(close(rig.cycle(5)[0], [0.8, 0.6, 0.4, 0.2, 0]))
        #expect(rig.cycle(4) == [[0, 0, 0, 0]])
        #expect(source.pointee.lastSilentPause() == 1)

        parameters.playback = .playing(from: .min)
        source.pointee.parameters.publish(parameters)
        _ = rig.cycle(5)
        #expect(rig.cycle(3) == [[1, 1, 1]])
        rig.lanes[0].pointee.markEnd()
        // The last frames fill their cycle, and the end is told in it.
        #expect(rig.cycle(4) == [[1, 1, 1, 1]])
        #expect(source.pointee.drains.frames(since: 0) == 1)
        #expect(rig.cycle(4) == [[0, 0, 0, 0]])
    }

    @Test func underrun_isCountedAtItsSource() {
        let rig = RendererRig()
        rig.addSource(playing: [1, 1])
        rig.addSource(playing: [1, 1])
        rig.publish(rig.makePlan([1], outputs: 1, [1]))
        _ = rig.cycle(4)
        #expect(rig.sources.map { $0.pointee.underrunFrames() } == [0, 2])
    }
}
