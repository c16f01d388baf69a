/// Why a sound file cannot be written. `message` names the file, what is wrong and what to do next; it is safe for a terminal.
package struct AudioFileWriteError: Error, Hashable, Sendable {
    package var message: String

    package init(_ message: String) { self.message = message }
}
