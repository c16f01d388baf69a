internal import CPipeWireShims
package import HostPipeWire
internal import Threading

/// What `doctor` shows about the server, and about this process as its client.
///
/// The texts are untrusted.
package struct PipeWireDiagnosis: Hashable, Sendable {
    /// How the rendering thread is scheduled.
    package enum RealTime: Hashable, Sendable {
        case granted(priority: Int)
        /// Like any other thread: under load there will be gaps, because rtkit or an rtprio limit is missing.
        case denied
        /// No stream has run yet.
        case unknown
    }

    package var libraryVersion: String
    package var serverVersion: String
    /// The program that chooses defaults and sets up ports, and its version if that can be read; nil if no session manager runs.
    package var sessionManager: String?
    /// Whether streams can make their own links; "no frame reaches the speaker" depends on this.
    package var mayLink: Bool
    /// The smallest cycle that the server allows, in frames; nil if the server has not reported it.
    package var smallestQuantum: Int?
    /// Why the machine does not announce sleep and wait until sessions are silent; nil if it does.
    package var sleepCaveat: String?
    package var realTime: RealTime
}

extension PipeWireHost {
    /// Facts for `doctor`; nil before `start` and after `shutdown`.
    package var diagnosis: PipeWireDiagnosis? {
        guard let loop, let clients else { return nil }
        var facts = oav_pw_diagnosis()
        loop.withLock { oav_pw_host_diagnose(loop.pointer, &facts) }
        let sleep = sleepStatus
        let manager = clients.manager
        let version = WirePlumberRanking.version(ofProcess: manager?.processID ?? 0)
        return PipeWireDiagnosis(
            libraryVersion: Self.libraryVersion ?? "", serverVersion: text(&facts.server_version),
            sessionManager: manager?.name.map { [$0, version].compactMap(\.self).joined(separator: " ") },
            mayLink: clients.mayLink, smallestQuantum: smallestQuantum,
            sleepCaveat: sleep.isArmed ? nil : sleep.words,
            realTime: !facts.data_thread_seen
                ? .unknown
                : facts.data_thread_is_realtime ? .granted(priority: Int(facts.data_thread_priority)) : .denied)
    }

    /// The version of the libpipewire in this process; nil in a build without it.
    package static var libraryVersion: String? {
        let version = String(cString: oav_pw_library_version())
        return version.isEmpty ? nil : version
    }

    /// Whether libpipewire finds a client configuration; without one it connects to no server.
    package static var hasClientConfiguration: Bool { oav_pw_has_client_configuration() }
}

extension WirePlumberRanking {
    /// "0.5.18"; nil for another session manager, and where it cannot be read.
    fileprivate static func version(ofProcess id: UInt32) -> String? {
        id == 0 ? nil : text(ofFile: "/proc/\(id)/maps").flatMap { version(ofMaps: $0) }
    }

    /// From the library's file name, which is `libwireplumber-0.4.so.0.4.13` for 0.4.13.
    package static func version(ofMaps maps: String) -> String? {
        if let number = number05(ofMaps: maps) { return "0.\(number / 100).\(number % 100)" }
        return maps.split(separator: "/libwireplumber-0.4.so.", maxSplits: 1).dropFirst().first
            .map { String($0.prefix { $0.isNumber || $0 == "." }) }
    }
}

/// The text of a C array of characters, which Swift imports as a tuple.
private func text<Characters>(_ characters: inout Characters) -> String {
    withUnsafeBytes(of: &characters) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}
