import AudioModel
import Foundation
import HostInterface
import HostPipeWire
import Testing

struct DescriptorLimitTests {
    @Test func start_withoutADescriptorLeft_namesTheLimit_andNoServer() async {
        await #expect(processExitsWith: .success) {
            while open("/dev/null", O_RDONLY) >= 0 {}
            let host = PipeWireHost(remote: "/nowhere/pipewire-0")
            let error = #expect(throws: HostError.self) { try host.start { _ in } }
            let message = error?.message ?? ""
            #expect(message.contains("raise the limit of open files (ulimit -n)"), "\(message)")
            #expect(!message.contains("start one"), "\(message)")
        }
    }
}
