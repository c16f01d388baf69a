import EngineCore

/// One time effect in the feeding of one source.
///
/// What comes out is as long as what went in divided by the rate, to the frame, whatever the library holds back: at the
/// end silence pushes the rest out. As long as an effect is not needed, and again once it is not, sound passes bit by bit.
///
/// `@unchecked Sendable`: one thread at a time uses it, as the one that feeds it keeps a lock meanwhile.
final class TimeEffectStage: FrameConverter, @unchecked Sendable {
    private enum Phase {
        /// Nothing is changed; to working.
        case passing
        /// The library is at work; to draining where nothing is to be changed any more and where it has to restart, and to
        /// ending at the end.
        case working
        /// First comes out what the library holds, by the settings in force; then to a new stream.
        case draining
        /// As draining, but settings still take effect, as the rest may be long; to draining as from working, then to a new
        /// stream.
        case ending
    }

    private let effect: TimeEffectController
    private let tool: any TimeEffectTool
    private let channels: Int
    private var phase = Phase.passing
    /// Those in force.
    private var settings: TimeEffectSettings
    /// Frames that went in and have not come out, in frames out.
    private var pendingFrames = 0.0
    private let silence: [Float]
    /// Of the effect's requests to forget its sound, those that were carried out.
    private var resets: UInt32

    private static let silentFrames = 1024
    /// More than any library holds back: 20 s.
    private static let mostSilentBlocks = 1000

    init(_ effect: TimeEffectController, _ tool: any TimeEffectTool, channels: Int) {
        self.effect = effect
        self.tool = tool
        self.channels = channels
        settings = effect.settings
        resets = effect.resets
        silence = [Float](repeating: 0, count: Self.silentFrames * channels)
        begin()
    }

    func takeRatio() -> Double {
        if phase == .draining || phase == .ending, isOut { reset() }
        let wanted = effect.settings
        guard wanted != settings else { return settings.ratio }
        switch phase {
        case .passing:
            settings = wanted
            begin()
        case .working, .ending:
            guard effect.isNeeded(for: wanted), tool.canGoOver(to: wanted) else {
                phase = .draining
                if isOut { reset() }
                break
            }
            pendingFrames *= wanted.ratio / settings.ratio * tool.apply(wanted)
            settings = wanted
        case .draining:
            break
        }
        return settings.ratio
    }

    func convert(
        _ input: UnsafeBufferPointer<Float>, isEnd: Bool, into output: UnsafeMutableBufferPointer<Float>
    ) -> (consumed: Int, produced: Int) {
        if phase == .working, isEnd, input.isEmpty { phase = .ending }
        switch phase {
        case .passing:
            let frames = min(input.count, output.count) / channels
            _ = output.update(fromContentsOf: input[..<(frames * channels)])
            return (frames, frames)
        case .working:
            let result = tool.convert(input, into: output)
            pendingFrames += Double(result.consumed) * settings.ratio - Double(result.produced)
            return result
        case .draining, .ending:
            // Silence is in the library behind the sound: input would come after it.
            let produced = drain(into: output)
            if isEnd, produced == 0, isOut { reset() }
            return (0, produced)
        }
    }

    /// Whether everything that went in has come out.
    private var isOut: Bool { pendingFrames.rounded() <= 0 }

    func takeReset() -> Bool {
        let wanted = effect.resets
        guard wanted != resets else { return false }
        resets = wanted
        reset()
        return true
    }

    func reset() {
        if phase != .passing { tool.clear() }
        settings = effect.settings
        begin()
    }

    private func begin() {
        pendingFrames = 0
        phase = effect.isNeeded(for: settings) ? .working : .passing
        if phase == .working { tool.apply(settings) }
    }

    private func drain(into output: UnsafeMutableBufferPointer<Float>) -> Int {
        let frames = min(Int(pendingFrames.rounded()), output.count / channels)
        guard frames > 0 else { return 0 }
        let room = UnsafeMutableBufferPointer(rebasing: output[..<(frames * channels)])
        for _ in 0..<Self.mostSilentBlocks {
            let produced = silence.withUnsafeBufferPointer { tool.convert($0, into: room).produced }
            pendingFrames -= Double(produced)
            if produced > 0 { return produced }
        }
        // A library that fails: silence replaces the pending frames.
        room.update(repeating: 0)
        pendingFrames -= Double(frames)
        return frames
    }
}
