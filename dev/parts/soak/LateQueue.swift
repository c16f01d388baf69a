import Foundation
import OpenAVFoundation
import TestSupport

/// A queue whose second item comes from a server that answers when it is told to.
final class LateQueue {
    let player: AVQueuePlayer
    let late: AVPlayerItem
    private let server: HTTPServer
    private let gate = Gate()

    init(first: String, then path: String) throws {
        let body = [UInt8](try Data(contentsOf: URL(filePath: path)))
        server = try HTTPServer(body: body, answers: [HTTPServer.Answer(stall: (0, gate))])
        guard let url = URL(string: server.address) else { throw Failure(description: "no address") }
        late = AVPlayerItem(url: url)
        player = AVQueuePlayer(items: [AVPlayerItem(url: URL(filePath: first)), late])
    }

    deinit { end() }

    /// The first item has ended, and the second one is not there.
    var isInGap: Bool { player.currentItem === late }

    func answer() { gate.open() }

    func end() {
        answer()
        player.removeAllItems()
        server.stop()
    }
}
