import CAudioTypes

/// An app's block that makes frames, and what it writes.
///
/// `@unchecked Sendable`: called on one thread at a time, the one that feeds.
struct SourceBlock: @unchecked Sendable {
    let format: AVAudioFormat?
    let block: AVAudioSourceNodeRenderBlock

    init(format: AVAudioFormat?, _ block: @escaping AVAudioSourceNodeRenderBlock) {
        self.format = format
        self.block = block
    }
}
