package import AudioModel
package import EngineCore

/// Why an engine refuses what its app asks for.
package enum EngineError: Error {
    case graph(GraphError)
    case session(SessionError)
    /// The engine was used before media services were lost, and cannot be used any more.
    case mediaServicesLost
    case voiceProcessing(VoiceProcessingError)
    /// In manual rendering.
    case inputWithoutBlock
    case manualRenderingWhileRunning
    /// Samples cannot be written in the format.
    case manualRenderingFormat(String)
    case manualRenderingFrames(received: Int, allowed: ClosedRange<Int>)
}

/// What became of a request for frames in manual rendering; only `rendered` has frames.
package enum RenderOutcome {
    case rendered
    /// The input's block has too few frames.
    case insufficientInput
    case notRunning
    case tooManyFrames(allowed: Int)
}
