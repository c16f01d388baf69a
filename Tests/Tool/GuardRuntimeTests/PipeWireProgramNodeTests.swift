import Testing

@testable import GuardRuntime
@testable import HostPipeWire

@Suite struct PipeWireProgramNodeTests {
    private func node(_ properties: [String: String] = [:]) -> PipeWireProgramNode {
        PipeWireProgramNode(serial: 5, nodeID: 50, clientID: 2, properties: properties)
    }

    @Test func stream_isMovable_whereTheSessionManagerLinksItAndNothingForbidsIt() {
        #expect(!node().isMovable)
        #expect(node(["node.autoconnect": "true"]).isMovable)
        for key in ["node.dont-reconnect", "node.dont-move", "node.exclusive"] {
            #expect(!node(["node.autoconnect": "true", key: "true"]).isMovable, "\(key)")
        }
    }
}
