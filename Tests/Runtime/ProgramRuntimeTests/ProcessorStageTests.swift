import AudioModel
import AudioRuntime
import CRealtime
import EngineCore
import Testing

@testable import ProgramRuntime

/// A unit with a delay in the feeding of a file.
@Suite struct ProcessorStageTests {
    /// Gives its sound two seconds late.
    private final class LateUnit: ProcessorUnit {
        func check(_ shape: ProcessorShape, title: String) throws(GraphError) {}
        func makeProcessor(_ shape: ProcessorShape) throws(GraphError) -> any UnitProcessor { Processor() }

        private final class Processor: UnitProcessor, @unchecked Sendable {
            let latencyFrames = 96_000
            let processor: oav_processor
            /// The place, then the line.
            private let memory: UnsafeMutablePointer<Float>

            init() {
                memory = .allocate(capacity: 96_001)
                memory.initialize(repeating: 0, count: 96_001)
                processor = oav_processor(
                    process: { memory, process in
                        guard let memory = memory?.assumingMemoryBound(to: Float.self) else { return }
                        let input = process.pointee.inputs[0].channels[0]
                        let output = process.pointee.output.channels[0]
                        for frame in 0..<Int(process.pointee.frames) {
                            let place = 1 + Int(memory[0])
                            (output[frame], memory[place]) = (memory[place], input[frame])
                            memory[0] = place == 96_000 ? 0 : Float(place)
                        }
                    }, reset: nil, context: memory, quiet_frames: 96_000)
            }

            deinit { memory.deallocate() }
        }
    }

    /// The silence before it is no silence after the sound.
    @Test func effect_thatIsLaterThanTheFileIsLong_isHeardToItsEnd() throws {
        let format = StreamFormat(sampleRate: 48_000, channels: ChannelLabel.standard(count: 1))
        let stage = try ProcessorStage(LateUnit(), format)
        let sound = (0..<2000).map { 0.5 + Float($0) / 65_536 }
        var heard = FrameQueue(channels: 1)
        _ = sound.withUnsafeBufferPointer { stage.convertAll($0, channels: 1, into: &heard) }
        #expect(heard.frames == 0)
        var produced = 1
        while produced > 0 {
            heard.append(room: 4096) { room in
                produced = stage.convert(UnsafeBufferPointer(start: nil, count: 0), isEnd: true, into: room).produced
                return produced
            }
        }
        let all = heard.take(heard.frames)
        #expect(Array(all.prefix(2000)) == sound)
        #expect(all.dropFirst(2000).allSatisfy { $0 == 0 })
    }
}
