/// The one file that reaches for the library's session and hosts.
enum Library {
    /// - Parameter host: nil leaves the choice to `AUDIOSESSION_HOST`, and to `auto` where that is not set.
    /// - Throws: `StudioError` when the host cannot be reached.
    static func openStudio(host: HostChoice?) throws(StudioError) -> any Studio {
        throw StudioError(code: "unwired", message: "this build of audiosession is not wired to the library yet.")
    }

    /// What a client of the sound server can learn about it.
    ///
    /// Takes a moment: it connects.
    static func serverFacts() throws(StudioError) -> ServerFacts {
        throw StudioError(code: "unwired", message: "this build of audiosession is not wired to the library yet.")
    }
}
