package import AudioFiles

extension AudioFileReader {
    /// Opens a file, or the sound at an http or https address.
    ///
    /// Waits for the disk or the server. What comes from a server is decoded ahead on a thread of its own: `read` then never
    /// waits, but gives nothing while `isWaiting`.
    ///
    /// - Parameters:
    ///   - location: a path or an address.
    ///   - aheadSeconds: how far a sound from a server is decoded ahead; bounded by 16 MB.
    ///   - trust: which servers may answer at an https address.
    ///   - cancellation: ends the wait for a server; it must not be that of another reader.
    /// - Throws: as `init(path:outputSampleRate:)`; `unreachable` where the server does not answer, `cancelled`.
    package convenience init(
        location: String, outputSampleRate: Double?, aheadSeconds: Double = StreamBuffer.usualAheadSeconds,
        trust: ServerTrust = ServerTrust(), limits: ServerLimits = ServerLimits(),
        cancellation: Cancellation = Cancellation()
    ) throws(AudioFileError) {
        guard Self.isAddress(location) else {
            try self.init(path: location, outputSampleRate: outputSampleRate)
            return
        }
        let stream = try OpenedStream(address: location, trust: trust, limits: limits, cancellation: cancellation)
        try self.init(
            decoder: BufferedSound(stream, aheadSeconds: aheadSeconds, cancellation: cancellation),
            outputSampleRate: outputSampleRate)
    }

    /// Opens a sound whose bytes an app gives, and decodes it ahead as one from a server.
    ///
    /// - Parameters:
    ///   - name: what messages call it.
    ///   - makeSource: waits for the app, as the reader's thread does then.
    /// - Throws: as `init(location:outputSampleRate:aheadSeconds:trust:limits:cancellation:)`.
    package convenience init(
        named name: String, outputSampleRate: Double?, aheadSeconds: Double, cancellation: Cancellation,
        from makeSource: () throws(AudioFileError) -> SuppliedSound
    ) throws(AudioFileError) {
        let stream = try OpenedStream(named: name) { () throws(AudioFileError) in try makeSource() }
        try self.init(
            decoder: BufferedSound(stream, aheadSeconds: aheadSeconds, cancellation: cancellation),
            outputSampleRate: outputSampleRate)
    }

    /// Whether a location is the address of a server, not a path.
    package static func isAddress(_ location: String) -> Bool {
        let start = location.prefix(8).lowercased()
        return start.hasPrefix("http://") || start.hasPrefix("https://")
    }

    /// What is at hand of a sound from a server; nil for files, which are at hand whole.
    package var streamBuffer: StreamBuffer? { stream as? StreamBuffer }
}
