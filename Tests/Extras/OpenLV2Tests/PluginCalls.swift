import Foundation
import TestAudio

/// Which functions of a bundle's plug-in were called, in order; see `PluginBundle.Code`.
final class PluginCalls {
    struct Missing: Error {}

    private let handle: UnsafeMutableRawPointer
    private let text: UnsafePointer<CChar>

    /// Keeps the library loaded, so that its letters stay when the host closes it.
    init(_ bundle: PluginBundle) throws {
        guard let handle = dlopen(bundle.libraryPath, RTLD_NOW | RTLD_LOCAL), let text = dlsym(handle, "calls") else {
            throw Missing()
        }
        (self.handle, self.text) = (handle, UnsafePointer(text.assumingMemoryBound(to: CChar.self)))
    }

    deinit { dlclose(handle) }

    /// I, A, R, D, and X for cleanup.
    var letters: String { String(cString: text) }
}
