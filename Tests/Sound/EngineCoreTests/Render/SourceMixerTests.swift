import AudioModel
import EngineCore
import RenderBench
import Testing

/// Output channels: what the plan knows, what the host has, and changes while it runs.
@Suite struct SourceMixerTests {
    @Test func outputs_beyondThePlan_areSilent() {
        var bench = SourceBench([.left, .right])
        bench.outputs = 3
        bench.write([1, 2, 1, 2])
        bench.source.play()
        #expect(bench.render(2) == [[1, 1], [2, 2], [0, 0]])
    }

    @Test func outputs_fewerThanThePlan_areTheFirst() {
        var bench = SourceBench([.left, .right])
        bench.outputs = 1
        bench.write([1, 2, 1, 2])
        bench.source.play()
        #expect(bench.render(2) == [[1, 1]])
        bench.outputs = 0
        #expect(bench.render(2) == [])
    }

    @Test func outputs_withoutMemory_areLeftOut() {
        let bench = SourceBench([.left, .right])
        bench.write([1, 2, 1, 2])
        bench.source.play()
        let unwritten = RenderBench.unwritten
        #expect(bench.render(2, missing: [0]) == [[unwritten, unwritten], [2, 2]])
    }

    @Test func outputChannels_changedWhilePlaying_slide() {
        var bench = SourceBench([.left, .right], to: [.left, .right])
        bench.write([Float](repeating: 1, count: 80))
        bench.source.play()
        #expect(bench.render(2) == [[1, 1], [1, 1]])
        bench.mixer.setOutputs([.right])
        // Left goes from 1 to 0.5 on the first output, right from 0 to 0.5: the sum of the two stays 1.
        #expect(isClose(bench.render(6)[0], [1, 1, 1, 1, 1, 1]))
        bench.mixer.setOutputs([.rearLeft, .left, .right])
        bench.outputs = 3
        let rendered = bench.render(6)
        #expect(isClose(rendered[0], [0.8, 0.6, 0.4, 0.2, 0, 0]))
        #expect(isClose(rendered[1], [0.2, 0.4, 0.6, 0.8, 1, 1]))
        #expect(isClose(rendered[2], [0.2, 0.4, 0.6, 0.8, 1, 1]))
    }

    @Test func outputMap_givesEachOutputItsChannelOrSilence() {
        var bench = SourceBench([.left, .right])
        bench.outputs = 4
        let port = Port(
            uid: "interface", name: "Interface", kind: .usbAudio, direction: .output,
            channels: ChannelLabel.standard(count: 4))
        bench.mixer.setOutputs([port], map: [1, -1, 0, 1])
        bench.write([1, 2, 1, 2])
        bench.source.play()
        #expect(bench.render(2) == [[2, 2], [0, 0], [1, 1], [2, 2]])
        #expect(bench.engine.takeLevels(outputChannels: 4) == [2, 0, 1, 2])
        #expect(bench.engine.takeLevels(outputChannels: 4) == [0, 0, 0, 0])
    }

    @Test func outputChannels_changedWhileGated_applyAtOnce() {
        let bench = SourceBench([.mono], to: [.mono])
        bench.write(constant: 1, 40)
        bench.source.play()
        bench.renderMono(2)
        bench.mixer.setOutputs([])
        bench.renderMono(1, isGated: true)
        #expect(bench.renderMono(3) == [0, 0, 0])
    }

    @Test func outputChannels_changedOftenWhileNothingRenders_keepTheLast() {
        var bench = SourceBench([.mono])
        for count in 1...100 { bench.mixer.setOutputs(ChannelLabel.standard(count: count)) }
        bench.mixer.setOutputs([.left, .right])
        bench.outputs = 2
        bench.write(constant: 1, 40)
        bench.source.play()
        bench.renderMono(10)
        #expect(bench.render(1) == [[1], [1]])
        bench.engine.reclaim()
        #expect(bench.engine.livePlans == 1)
    }

    @Test func cycle_withoutContextOrOutputs_doesNothing() {
        let bench = SourceBench()
        bench.engine.renderer.render(nil, nil)
        #expect(bench.engine.lastCycle == nil)
    }
}
