import HostInterface
import HostPipeWire
import PipeWireRig

/// A private server with a speaker and headphones, and a client whose loud stream is heard on the headphones.
final class Playback {
    let server: PrivatePipeWire
    let speaker: VirtualSink
    let headphones: VirtualSink
    let client: Client
    let renderer = LoudRenderer()
    let stream: any HostStream

    init(_ options: PrivatePipeWire.Options = .init()) throws {
        server = try PrivatePipeWire.start(options)
        (speaker, headphones) = try server.makeSpeakerAndHeadphones()
        client = try Client(server)
        stream = try client.openStream(renderer)
        try stream.link(to: ["headphones"])
        try headphones.meter.wait(loudFrames: 4800)
    }

    /// Closes the stream.
    ///
    /// Call it in a `defer`: the renderer must live until then.
    func end() { stream.close() }
}
