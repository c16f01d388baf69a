import AudioFiles
import AudioModel
import AudioRuntime
import OpenAVFAudio
import SessionCore

/// The part of `FilePlayer` that the verbs use.
protocol Player: AnyObject, Sendable {
    var info: AudioFileInfo { get }
    var status: FilePlayer.Status { get }
    var volume: Float { get set }
    func play() throws(SessionError)
    func pause()
    func seek(toSeconds seconds: Double)
    func setChannelMap(_ map: [Int]?) throws(SessionError)
    func takeLevels() -> [String: [Float]]
    func close()
}

extension FilePlayer: Player {}

/// What a player has to say.
enum PlayerNews: Hashable, Sendable {
    case status(FilePlayer.Status)
    case channelMapReset(ChannelMapReset)
}
