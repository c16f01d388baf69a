import AudioModel
import Testing

@testable import HostPipeWire

/// We are client 1 of process 100.
@Suite struct PipeWireClientsTests {
    private func node(
        client: UInt32?, isClaim: Bool = false, _ properties: [String: String] = [:]
    ) -> PipeWireProgramNode {
        PipeWireProgramNode(serial: 5, nodeID: 50, clientID: client, isClaim: isClaim, properties: properties)
    }

    private var clients: PipeWireClients {
        var clients = PipeWireClients()
        _ = clients.learnOwnID(1)
        _ = clients.note(.client(id: 1, .init(processID: 100, name: "player")))
        _ = clients.note(.client(id: 2, .init(processID: 200, name: "mpv")))
        _ = clients.note(.client(id: 3, .init(processID: 100, name: "library beside us")))
        return clients
    }

    @Test func node_ofOurConnection_isNotForeign_andAnothersIs() {
        #expect(!clients.isForeign(node(client: 1)))
        #expect(!clients.isForeign(node(client: 1, isClaim: true)))
        #expect(clients.isForeign(node(client: 2)))
        #expect(clients.isForeign(node(client: 2, isClaim: true)))
    }

    @Test func streamOfALibraryInThisProcess_isNotForeign_butASessionIs() {
        #expect(!clients.isForeign(node(client: 3)))
        #expect(clients.isForeign(node(client: 3, ["audiosession.stream": "true"])))
        #expect(clients.isForeign(node(client: 3, isClaim: true)))
        // Where the server names no process, none is the same.
        var unknown = clients
        _ = unknown.note(.client(id: 3, .init(processID: nil, name: nil)))
        _ = unknown.note(.client(id: 1, .init(processID: nil, name: nil)))
        #expect(unknown.isForeign(node(client: 3)))
    }

    @Test func streamOfALoopback_orOfNoProgram_isNotForeign() {
        for (key, value) in [("node.link-group", "loop-1"), ("object.linger", "true"), ("node.virtual", "1")] {
            #expect(!clients.isForeign(node(client: 2, [key: value])), "\(key)")
        }
        #expect(clients.isForeign(node(client: 2, ["node.virtual": "false"])))
        #expect(clients.isForeign(node(client: nil)))
    }

    @Test func node_waitsUntilWeKnowWhoWeAre_withWhatItSaidLast() {
        var clients = PipeWireClients()
        var stream = node(client: 1)
        #expect(clients.admit(stream) == nil)
        stream.isRunning = true
        #expect(clients.admit(stream) == nil)
        var other = node(client: 2)
        other.serial = 6
        #expect(clients.admit(other) == nil)
        clients.forget(6)
        #expect(clients.learnOwnID(1) == [stream])
        #expect(clients.admit(other) == other)
    }

    @Test func nameAndProcess_areTheNodesWord_orElseItsClients() {
        let daemon = node(client: 2, ["application.name": "Firefox", "application.process.id": "300"])
        #expect(clients.name(of: daemon) == "Firefox")
        #expect(clients.processID(of: daemon) == 300)
        #expect(clients.name(of: node(client: 2)) == "mpv")
        #expect(clients.processID(of: node(client: 2, ["application.process.id": "0"])) == 200)
        // A claim's process is the server's word.
        #expect(clients.processID(of: node(client: 2, isClaim: true, ["application.process.id": "300"])) == 200)
        var gone = clients
        _ = gone.remove(2)
        #expect(gone.name(of: node(client: 2)) == nil && gone.processID(of: node(client: 2)) == nil)
    }

    @Test func sessionManager_isAClientOfThatName_orKeepsTheMetadata() {
        var clients = clients
        #expect(!clients.hasManager && clients.manager == nil)
        var isOfManager = clients.note(.client(id: 8, .init(processID: 80, name: "WirePlumber")))
        #expect(isOfManager && clients.hasManager && clients.manager?.processID == 80 && !clients.keepsTargets)
        isOfManager = clients.note(.metadata(id: 40))
        #expect(isOfManager)
        isOfManager = clients.remove(8)
        #expect(isOfManager && clients.hasManager && clients.manager == nil && clients.keepsTargets)
        isOfManager = clients.remove(40)
        #expect(isOfManager && !clients.hasManager)
    }

    @Test func links_canBeMade_whereTheServerShowsTheirFactory() {
        var clients = clients
        var isOfManager = clients.note(.factory(id: 7, name: "adapter"))
        #expect(!isOfManager && !clients.mayLink)
        isOfManager = clients.note(.factory(id: 8, name: "link-factory"))
        #expect(!isOfManager && clients.mayLink)
        _ = clients.remove(7)
        #expect(clients.mayLink)
        _ = clients.remove(8)
        #expect(!clients.mayLink)
    }

    @Test func properties_ofASink_becomeANode() {
        let properties = [
            "node.name": "sink", "node.nick": "Sink", "audio.position": "[ FL, FR, LFE ]", "device.id": "9",
            "card.profile.device": "3", "priority.session": "1009", "node.link-group": "effect",
        ]
        let node = PipeWireNode(id: 20, serial: 1020, direction: .output) { properties[$0] }
        #expect(node.name == "sink" && node.description == "Sink" && node.isVirtual)
        #expect(node.positions == ["FL", "FR", "LFE"])
        #expect(node.deviceID == 9 && node.cardDevice == 3 && node.priority == 1009)
        let loopback = PipeWireNode(id: 20, serial: 1020, direction: .input) {
            ["node.link-group": "loopback", "node.virtual": "false", "bluez5.loopback": "true"][$0]
        }
        #expect(!loopback.isVirtual, "a headset's microphone, as WirePlumber 0.5 shows it")
        let bare = PipeWireNode(id: 20, serial: 1020, direction: .output) { ["audio.position": "FL,FR"][$0] }
        #expect(bare.positions == ["FL", "FR"] && bare.name.isEmpty && bare.deviceID == nil && !bare.isVirtual)
    }
}
