package import AudioModel
import Foundation

extension SystemPackage {
    /// The command that installs packages on this system, for messages.
    package static func installCommand(_ packages: SystemPackage...) -> String {
        installCommand(packages, osRelease: try? String(contentsOfFile: "/etc/os-release", encoding: .utf8))
    }
}
