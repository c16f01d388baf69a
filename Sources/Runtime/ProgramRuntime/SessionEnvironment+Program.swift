package import AudioModel
package import SessionRuntime

extension SessionEnvironment {
    /// What all variables say, for a program that stops at an invalid one.
    ///
    /// `AVAudioSession.sharedInstance()` goes on with defaults instead.
    ///
    /// - Parameter choice: the program's own choice of a host; the variable is then not read.
    /// - Throws: `badParam` for an invalid variable.
    package func validSettings(host choice: HostChoice?) throws(SessionError) -> Settings {
        try settings(host: choice) { error, _ throws(SessionError) in throw error }
    }
}
