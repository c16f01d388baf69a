/// A package of the system that this library uses where it is installed, by what it is called in each distribution.
package enum SystemPackage: Sendable, CaseIterable {
    case ffmpeg, soundTouch, curl, espeakNG, pipeWire, pipeWirePulse, wirePlumber, rtkit

    /// The command that installs packages on a system, for messages: "apt install ffmpeg".
    ///
    /// A distribution's own name of FFmpeg leads to the version that this system has.
    ///
    /// - Parameters:
    ///   - packages: at least one.
    ///   - osRelease: the text of /etc/os-release; nil if there is none.
    package static func installCommand(_ packages: [SystemPackage], osRelease: String?) -> String {
        let family = Family(osRelease: osRelease ?? "")
        let names = packages.map { $0.name(in: family) }.joined(separator: " ")
        return switch family {
        case .debian: "apt install \(names)"
        case .fedora: "dnf install \(names)"
        case .arch: "pacman -S \(names)"
        case .other: "install \(names) with the package manager of this system"
        }
    }

    private enum Family {
        case debian, fedora, arch, other

        init(osRelease: String) {
            var names: [Substring] = []
            for line in osRelease.split(whereSeparator: \.isNewline) {
                guard let equals = line.firstIndex(of: "="), ["ID", "ID_LIKE"].contains(line[..<equals]) else {
                    continue
                }
                names += line[line.index(after: equals)...].split { " \"'".contains($0) }
            }
            self =
                if names.contains("debian") || names.contains("ubuntu") {
                    .debian
                } else if names.contains("fedora") || names.contains("rhel") {
                    .fedora
                } else if names.contains("arch") {
                    .arch
                } else {
                    .other
                }
        }
    }

    private func name(in family: Family) -> String {
        switch (self, family) {
        case (.ffmpeg, .fedora): "ffmpeg-free"
        case (.ffmpeg, _): "ffmpeg"
        case (.soundTouch, .debian): "libsoundtouch1"
        case (.soundTouch, _): "soundtouch"
        case (.curl, .debian): "libcurl4"
        case (.curl, .fedora): "libcurl"
        case (.curl, _): "curl"
        case (.espeakNG, _): "espeak-ng"
        case (.pipeWire, _): "pipewire"
        case (.pipeWirePulse, .fedora): "pipewire-pulseaudio"
        case (.pipeWirePulse, _): "pipewire-pulse"
        case (.wirePlumber, _): "wireplumber"
        case (.rtkit, _): "rtkit"
        }
    }
}
