package import Foundation

/// Other programs on the server: children of this process, with the server's environment.
extension PrivatePipeWire {
    /// A program that runs as a client of this server until it is killed.
    package func spawn(_ command: [String]) throws -> Process {
        let process = program(command)
        process.standardInput = Pipe()
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    /// Runs a program as a client of this server, and waits for its end.
    package func run(_ command: [String]) throws {
        let process = program(command)
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CommandFailed(command: command) }
    }

    /// Commands the first program's stream that there is, as a session manager commands a node.
    ///
    /// - Parameter name: "Pause", "Start" or "Suspend".
    package func commandStream(_ name: String) throws {
        guard let node = try graph.nodes.first(where: { $0.mediaClass == "Stream/Output/Audio" }) else {
            throw CommandFailed(command: [name, "to a stream, of which there is none"])
        }
        try run(["pw-cli", "send-command", "\(node.id)", name, "{}"])
    }

    /// Sets properties of the stream that `play` has started with this role, as a mixer does.
    package func setStreamProps(_ text: String, role: String) throws {
        guard
            let node = try graph.nodes.last(where: { $0.mediaClass == "Stream/Output/Audio" && $0.description == role })
        else { throw CommandFailed(command: [text, "to a stream of role \(role), of which there is none"]) }
        try run(["pw-cli", "set-param", "\(node.id)", "Props", text])
    }

    package struct CommandFailed: Error { package var command: [String] }

    private func program(_ command: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.environment = environment
        process.standardOutput = FileHandle.nullDevice
        return process
    }

    /// Silence, played by a program that knows nothing of us.
    ///
    /// - Parameter isSilent: its volume is 0.
    package func play(
        role: String, properties: [String: String] = [:], isSilent: Bool = false, seconds: Int = 60
    ) throws -> Process {
        let file = FileManager.default.temporaryDirectory.appending(path: "oav-silence-\(getpid())-\(seconds).wav")
        if !FileManager.default.fileExists(atPath: file.path) { try Self.silence(seconds: seconds).write(to: file) }
        let texts = properties.map { "\($0)=\($1)" }.joined(separator: " ")
        let volume = isSilent ? ["--volume", "0"] : []
        return try spawn(
            ["pw-play", "--media-role", role] + volume + ["-P", "{ node.description = \(role) \(texts) }", file.path])
    }

    private static func silence(seconds: Int) -> Data {
        let rate = 8000
        func bytes(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> ($0 * 8) & 0xFF) } }
        let size = seconds * rate * 2
        let format = bytes(1, 2) + bytes(1, 2) + bytes(rate, 4) + bytes(rate * 2, 4) + bytes(2, 2) + bytes(16, 2)
        let header = Array("RIFF".utf8) + bytes(36 + size, 4) + Array("WAVEfmt ".utf8) + bytes(16, 4) + format
        return Data(header + Array("data".utf8) + bytes(size, 4)) + Data(count: size)
    }

    // MARK: Links made by hand

    /// Cuts one channel's link of the first program's stream that there is, as a user does in a patch bay.
    package func cutLink(to sink: String, channel: Int) throws {
        try run(["pw-link", "-d"] + graph.ports(ofStreamTo: sink, channel: channel))
    }

    /// Asks for one channel's link of the first program's stream that there is.
    ///
    /// Whoever does not approve takes the link away at once. The pw-link of PipeWire 1.4 waits until the link is
    /// negotiated, and fails then; so its word counts for nothing, and callers wait for what the link is to bring about.
    package func makeLink(to sink: String, channel: Int) throws {
        let link = try program(["pw-link"] + graph.ports(ofStreamTo: sink, channel: channel))
        link.standardError = FileHandle.nullDevice
        try link.run()
        link.waitUntilExit()
    }
}

extension RigGraph {
    /// The links of programs' streams, the rig's own left out.
    package func links(fromStreamsTo sink: String) -> [Link] {
        let streams = Set(nodes.filter { $0.mediaClass == "Stream/Output/Audio" }.map(\.id))
        let target = node(named: sink)?.id
        return links.filter { streams.contains($0.outputNode) && $0.inputNode == target }
    }

    fileprivate func ports(ofStreamTo sink: String, channel: Int) throws -> [String] {
        let stream = nodes.first { $0.mediaClass == "Stream/Output/Audio" }?.id
        let target = node(named: sink)?.id
        let from = ports.filter { $0.node == stream && $0.direction == "out" }
        let to = ports.filter { $0.node == target && $0.direction == "in" }
        guard from.indices.contains(channel), to.indices.contains(channel) else {
            throw PrivatePipeWire.CommandFailed(command: ["find channel \(channel) of a stream and of \(sink)"])
        }
        return ["\(from[channel].id)", "\(to[channel].id)"]
    }
}
