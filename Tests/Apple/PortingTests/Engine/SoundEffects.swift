import AVFoundation

/// Plays short sounds by name, as libraries for sound effects do on iOS: a few players for each sound, so that it may
/// overlap itself, an ambient session, and a call at the end of each.
///
/// The imports and the calls are those of such a library, unchanged.
final class SoundEffects: NSObject, AVAudioPlayerDelegate {
    private var players: [AVAudioPlayer] = []
    private var counter = 0
    var onEnd: ((Bool) -> Void)?

    var volume: Float = 1 {
        didSet { players.forEach { $0.volume = volume } }
    }

    init?(url: URL, playersPerSound: Int = 2) {
        super.init()
        do {
            try AVAudioSession.sharedInstance().setCategory(.ambient)
            for _ in 0..<max(playersPerSound, 1) {
                let player = try AVAudioPlayer(contentsOf: url)
                player.delegate = self
                player.prepareToPlay()
                players.append(player)
            }
        } catch {
            return nil
        }
    }

    var isPlaying: Bool { players.contains { $0.isPlaying } }

    @discardableResult
    func play(numberOfLoops: Int = 0) -> Bool {
        let player = players[counter]
        counter = (counter + 1) % players.count
        player.numberOfLoops = numberOfLoops
        return player.play()
    }

    func stop() {
        for player in players {
            player.stop()
            player.currentTime = 0
        }
    }

    func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) { onEnd?(flag) }
    func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: Error?) { onEnd?(false) }
}
