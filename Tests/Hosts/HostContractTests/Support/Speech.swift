import Foundation
import Synchronization
import TestSupport

@testable import OpenAVFAudio

/// A player node that gets buffers of a rate of its own with random gaps, as speech and calls have them: as soon as those
/// before are complete, or some ticks later.
///
/// `@unchecked Sendable`: the node may be used on any thread, and everything that changes is under a lock.
final class Speech: @unchecked Sendable {
    let node = AVAudioPlayerNode()
    let format: AVAudioFormat
    private let count: Int
    private let state: Mutex<State>

    private struct State {
        var random: Seeded
        var scheduled = 0
        /// Of the last buffers that were scheduled together, those not complete.
        var openBuffers = 0
        /// Until the next buffers; nil while some are open.
        var ticks: Int?
        /// The numbers of the complete buffers, in order.
        var completed: [Int] = []
        /// At the format's rate.
        var frames = 0
        /// Heard behind the node, at 48 kHz.
        var heardFrames = 0
    }

    /// - Parameter count: buffers to schedule.
    init(sampleRate: Double, count: Int, seed: UInt64) throws {
        guard let format = AVAudioFormat(standardFormatWithSampleRate: sampleRate, channels: 1) else {
            throw NothingToHear()
        }
        self.format = format
        self.count = count
        state = Mutex(State(random: Seeded(seed: seed &+ UInt64(sampleRate)), ticks: 0))
    }

    var isOver: Bool { state.withLock { $0.completed.count >= count } }
    var completed: [Int] { state.withLock { $0.completed } }
    /// What is to be heard, at 48 kHz.
    var expectedFrames: Double { state.withLock { Double($0.frames) * 48_000 / format.sampleRate } }
    var heardFrames: Int { state.withLock { $0.heardFrames } }

    /// Silence behind the node is 0, and converted speech is never.
    func hear(_ buffer: AVAudioPCMBuffer) {
        guard let samples = buffer.floatChannelData?[0] else { return }
        let heard = UnsafeBufferPointer(start: samples, count: Int(buffer.frameLength)).count { $0 != 0 }
        state.withLock { $0.heardFrames += heard }
    }

    /// Some of the virtual or real time has passed.
    func tick() {
        let isDue = state.withLock { state in
            guard let ticks = state.ticks else { return false }
            state.ticks = ticks > 0 ? ticks - 1 : nil
            return ticks == 0
        }
        if isDue { schedule() }
    }

    /// One to three buffers at once.
    private func schedule() {
        let (buffers, callback) = state.withLock { state in
            let last = min(count, state.scheduled + .random(in: 1...3, using: &state.random))
            let buffers = (state.scheduled..<last).map { number in
                // 2 to 10 ms.
                let frames = Int(format.sampleRate * .random(in: 0.002...0.01, using: &state.random))
                state.frames += frames
                return (number, frames)
            }
            state.scheduled = last
            state.openBuffers = buffers.count
            let callbacks: [AVAudioPlayerNodeCompletionCallbackType] = [.dataConsumed, .dataRendered, .dataPlayedBack]
            return (buffers, callbacks.randomElement(using: &state.random) ?? .dataConsumed)
        }
        for (number, frames) in buffers {
            let length = AVAudioFrameCount(frames)
            guard let buffer = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: length) else { return }
            buffer.frameLength = length
            buffer.floatChannelData?[0].update(repeating: 0.05, count: frames)
            node.scheduleBuffer(buffer, completionCallbackType: callback) { [weak self] _ in self?.complete(number) }
        }
    }

    private func complete(_ number: Int) {
        let isDue = state.withLock { state in
            state.completed.append(number)
            state.openBuffers -= 1
            guard state.openBuffers == 0, state.scheduled < count else { return false }
            if Bool.random(using: &state.random) { return true }
            state.ticks = .random(in: 0...4, using: &state.random)
            return false
        }
        if isDue { schedule() }
    }
}
