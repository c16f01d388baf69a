import OpenAVFAudio

/// What a shell offers after `--device`, `--to` and `--input`: the names of what is connected now.
enum Completions {
    static func outputs() -> [String] { names(.playback) { $0.outputs.all } }

    static func inputs() -> [String] { names(.record) { $0.inputs } }

    /// None without a sound server; a name that several ports have gives way to their uids.
    private static func names(
        _ category: AVAudioSession.Category, _ ports: (any AudioBackend) -> [PortFacts]
    ) -> [String] {
        guard let backend = try? makeBackend(host: nil) else { return [] }
        defer { backend.close() }
        guard (try? backend.configure(SessionSettings(category: category))) != nil else { return [] }
        let found = ports(backend)
        return found.map { port in
            found.count { $0.name == port.name } == 1 ? port.name.printable : port.uid.printable
        }
    }
}
