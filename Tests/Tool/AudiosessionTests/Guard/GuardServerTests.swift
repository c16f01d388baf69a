import Foundation
import Glibc
import TestAudio
import Testing

@testable import audiosession

/// The clients of a guard, good and bad; the test is the clock.
struct GuardServerTests {
    private final class Scene {
        let directory: TemporaryDirectory
        let path: String
        let server: GuardServer
        private(set) var asked: [GuardControl.Request] = []
        private(set) var followers: [Int32] = []
        var answer = ["line"]
        var now = 100.0

        init() throws {
            directory = try TemporaryDirectory()
            path = directory.path + "/sock"
            weak var scene: Scene?
            server = GuardServer(
                listener: try GuardControl.listen(at: path), now: { scene?.now ?? 0 },
                answer: { request in
                    scene?.asked.append(request)
                    return scene?.answer ?? []
                }, follow: { scene?.followers.append($0) })
            scene = self
        }

        deinit { for follower in followers { close(follower) } }

        func client(_ text: String = "") throws -> Client {
            let client = try Client(path)
            client.send(text)
            return client
        }

        /// Serves what is there, and never waits: a request that is complete ends each step.
        func serve(_ steps: Int) { for _ in 0..<steps { server.serve() } }
    }

    private struct Received: Equatable {
        let text: String
        let isClosed: Bool

        init(_ text: String, isClosed: Bool) { (self.text, self.isClosed) = (text, isClosed) }
    }

    private final class Client {
        let descriptor: Int32

        init(_ path: String) throws {
            descriptor = GuardControl.connectSocket(path)
            try #require(descriptor >= 0)
        }

        deinit { close(descriptor) }

        func send(_ text: String) {
            let bytes = Array(text.utf8)
            _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }

        func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

        /// What has come, and whether the server has closed the connection; never waits.
        var received: Received {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                guard count > 0 else {
                    let isOpen = count < 0 && errno == EAGAIN
                    return Received(String(decoding: bytes, as: UTF8.self), isClosed: !isOpen)
                }
                bytes += buffer[..<count]
            }
        }
    }

    @Test func request_isAnswered_andTheConnectionClosed() throws {
        let scene = try Scene()
        let client = try scene.client("release mpv\n")
        scene.serve(2)
        #expect(scene.asked == [.release("mpv")])
        #expect(client.received == Received("line\n", isClosed: true))
        #expect(scene.server.clientCount == 0)
    }

    @Test func clientThatEndsSending_isAnsweredAsIfWithALineEnd() throws {
        let scene = try Scene()
        let client = try scene.client("status")
        client.endSending()
        scene.serve(3)
        #expect(scene.asked == [.status])
        #expect(client.received == Received("line\n", isClosed: true))
    }

    @Test func clientThatSendsAByteNowAndThen_isClosedAtItsDeadline() throws {
        let scene = try Scene()
        let client = try scene.client()
        scene.serve(1)
        for byte in "stat" {
            #expect(!client.received.isClosed)
            client.send(String(byte))
            scene.serve(1)
            scene.now += 0.5
        }
        client.send("u")
        scene.serve(1)
        #expect(client.received == Received("", isClosed: true))
        #expect(scene.server.clientCount == 0)
    }

    @Test func silentClient_isClosedAtItsDeadline_andOthersAreServedMeanwhile() throws {
        let scene = try Scene()
        let silent = try scene.client()
        scene.serve(1)
        let other = try scene.client("log\n")
        scene.serve(2)
        #expect(other.received == Received("line\n", isClosed: true))
        #expect(!silent.received.isClosed)
        scene.now += GuardServer.deadlineSeconds
        scene.serve(1)
        #expect(silent.received.isClosed)
    }

    @Test(arguments: ["stop it\n", "\n", String(repeating: "x", count: GuardServer.longestRequest)])
    func textThatIsNoRequest_isClosedWithoutAnAnswer(text: String) throws {
        let scene = try Scene()
        let client = try scene.client(text)
        scene.serve(2)
        #expect(scene.asked == [])
        #expect(client.received == Received("", isClosed: true))
    }

    @Test func clientThatDoesNotReadItsAnswer_isClosedAtItsDeadline() throws {
        let scene = try Scene()
        scene.answer = [String(repeating: "x", count: 8 << 20)]
        let client = try scene.client("status\n")
        scene.serve(2)
        #expect(scene.server.clientCount == 1)
        scene.now += GuardServer.deadlineSeconds
        scene.serve(1)
        #expect(scene.server.clientCount == 0)
        let received = client.received
        #expect(received.isClosed)
        #expect(received.text.utf8.count < 8 << 20)
    }

    @Test func longAnswer_isSentAsItIsRead() throws {
        let scene = try Scene()
        scene.answer = [String(repeating: "x", count: 1 << 20)]
        let client = try scene.client("status\n")
        scene.serve(2)
        var text = ""
        while scene.server.clientCount > 0 {
            text += client.received.text
            scene.serve(1)
        }
        text += client.received.text
        #expect(text.utf8.count == 1 << 20 + 1)
    }

    @Test func manyClients_areBounded_andThoseThatWaitAreServedAfterTheDeadline() throws {
        let scene = try Scene()
        let silent = try (0..<GuardServer.mostClients).map { _ in
            let client = try scene.client()
            scene.serve(1)
            return client
        }
        let last = try scene.client("status\n")
        scene.now += GuardServer.deadlineSeconds
        // The first step has room for none: it ends those that are late.
        scene.serve(1)
        #expect(scene.asked == [])
        scene.serve(2)
        #expect(last.received == Received("line\n", isClosed: true))
        #expect(silent.allSatisfy { $0.received.isClosed })
    }

    @Test func clientThatFollows_isHandedOver() throws {
        let scene = try Scene()
        let client = try scene.client("follow\n")
        scene.serve(2)
        #expect(scene.followers.count == 1)
        #expect(scene.server.clientCount == 0)
        #expect(GuardControl.tell("Paused mpv", to: try #require(scene.followers.first)))
        #expect(client.received == Received("Paused mpv\n", isClosed: false))
    }

    @Test func socketOfAnEndedGuard_isReplaced_andThatOfARunningOneIsNot() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/sock"
        close(try GuardControl.listen(at: path))
        let listener = try GuardControl.listen(at: path)
        let error = #expect(throws: BackendError.self) { _ = try GuardControl.listen(at: path) }
        #expect(error?.code == .program(.alreadyRunning))
        #expect(error?.message.hasPrefix("a guard of another PipeWire server listens at \(path)") == true)
        close(listener)
    }
}
