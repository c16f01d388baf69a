import AudioModel
import AudioRuntime
import OpenAVFAudio
import SessionCore

/// The part of `FileRecorder` that the verbs use.
protocol Recorder: AnyObject, Sendable {
    var status: FileRecorder.Status { get }
    func record(forSeconds seconds: Double?) throws(SessionError)
    func pause()
    func stop()
    func takeMeasures() -> [LevelMeasure]
}

extension FileRecorder: Recorder {}
