/// Modules that come through others on iOS are imported, those of screens are conditional, and remarks name what Linux lacks.
enum ImportRule {
    static func apply(to draft: inout SourceDraft) {
        let source = draft.source
        var missing = ""
        let importsAudio = ["AVFoundation", "AVFAudio", "OpenAVFAudio", "MediaPlayer"].contains(where: source.imports)
        if !importsAudio, !draft.ownNames.isEmpty || namesOfAVFoundation.contains(where: source.uses) {
            missing += "import AVFoundation\n"
        }
        for place in networkNames.flatMap({ source.positions(of: $0) }) {
            let prefix = "Foundation."
            let start = place - prefix.utf8.count
            if start >= 0, source.code(start..<place) == prefix { draft.replace(start..<place, with: "") }
        }
        if !source.contains("FoundationNetworking"), networkNames.contains(where: source.uses) {
            missing += "#if canImport(FoundationNetworking)\nimport FoundationNetworking\n#endif\n"
        }
        let screens = ScreenImports.unneeded(in: source)
        if !screens.isEmpty, !importsAudio, missing.isEmpty, !source.imports("Foundation") {
            missing += "import Foundation\n"
        }
        for (module, line) in screens {
            let text = String(decoding: source.bytes[line], as: UTF8.self)
            draft.replace(line, with: "#if canImport(\(module))\n\(text)\n#endif")
        }
        for part in source.submodules(of: modulesOfOneOnLinux) {
            draft.replace(part, with: "")
        }
        guard !missing.isEmpty else { return }
        let place = source.endOfImports
        let endsLine = place == 0 || source.bytes[place - 1] == UInt8(ascii: "\n")
        draft.insert((endsLine ? "" : "\n") + missing, at: place)
    }

    /// Clang's modules have parts on Apple's systems: `import AVFoundation.AVPlayerItem` imports all of it there too.
    private static let modulesOfOneOnLinux = [
        "AVFoundation", "AVFAudio", "AudioToolbox", "CoreAudio", "CoreMedia", "MediaPlayer", "MediaToolbox",
        "Foundation",
    ]

    /// Those that files use which have the import through another one.
    private static let namesOfAVFoundation = [
        "AVAudioSession", "AVPlayer", "AVPlayerItem", "AVAudioPlayer", "AVAudioRecorder", "AVAudioEngine", "AVAsset",
        "AVURLAsset", "AVSpeechSynthesizer",
    ]

    /// Of a module of their own on Linux.
    private static let networkNames = ["URLSession", "URLRequest", "HTTPURLResponse", "URLSessionDataTask"]

    private static let missingModules = [
        ("Combine", "Combine does not exist on Linux: docs/porting.md has a recipe with OpenCombine"),
        ("os", "the module os does not exist on Linux: swift-log's Logger has the same calls, without privacy:"),
        ("OSLog", "the module OSLog does not exist on Linux: swift-log's Logger has the same calls"),
        ("AppKit", "AppKit does not exist on Linux: move what needs it to another file"),
        ("Speech", "Speech does not exist on Linux: move what needs it to another file"),
        ("Accelerate", "Accelerate does not exist on Linux: write the loop, which the compiler vectorizes"),
        ("Network", "the module Network does not exist on Linux: a failed item says that the connection is lost"),
        ("UniformTypeIdentifiers", "UniformTypeIdentifiers does not exist on Linux: use the extensions of file names"),
        ("AVKit", "AVKit does not exist on Linux: move what needs it to another file"),
        ("CoreMIDI", "CoreMIDI does not exist on Linux: use an ALSA or PipeWire MIDI library"),
        ("CryptoKit", "CryptoKit does not exist on Linux: swift-crypto's module Crypto has the same calls"),
        ("Darwin", "the module Darwin does not exist on Linux: Foundation brings the C library on both"),
    ]

    /// Names that a file may use without an import that says so.
    private static let missingNames = [
        ("OSAllocatedUnfairLock", "OSAllocatedUnfairLock does not exist on Linux: use Mutex of Synchronization"),
        ("AudioObjectGetPropertyData", "Core Audio has no devices on Linux: use AVAudioSession.setPreferredInput"),
    ]

    static func remarkMissingModules(in draft: inout SourceDraft) {
        for (module, text) in missingModules {
            let positions = draft.source.importPositions(of: module)
            // A condition says already what to do without the module.
            let isMissed = { (position: Int) in !draft.source.isConditional(position, with: " canImport(\(module)") }
            if let position = positions.first(where: isMissed) { draft.remark(position, text) }
        }
        for (name, text) in missingNames {
            if let position = draft.source.positions(of: name).first { draft.remark(position, text) }
        }
    }
}

extension SourceText {
    fileprivate func uses(_ name: String) -> Bool { !positions(of: name).isEmpty }

    /// Behind the last import that no `#if` encloses; at the first line of code where there is none.
    fileprivate var endOfImports: Int {
        var depth = 0
        var place = 0
        var end: Int?
        var firstCode: Int?
        for line in code.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let start = place
            place += line.count + 1
            let text = String(decoding: line, as: UTF8.self).drop { $0 == " " || $0 == "\t" }
            if text.isEmpty { continue }
            if firstCode == nil { firstCode = start }
            if text.hasPrefix("#if") { depth += 1 }
            if text.hasPrefix("#endif") { depth -= 1 }
            if depth == 0, text.split(separator: " ").contains("import") { end = min(place, code.count) }
        }
        return end ?? firstCode ?? 0
    }
}
