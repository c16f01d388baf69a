import Foundation
import GuardRuntime

/// What `play` keeps from one run to the next: the volume, and where files were left.
struct PlayMemory: Codable, Hashable {
    struct Place: Codable, Hashable {
        /// An absolute path.
        var file: String
        var seconds: Double
    }

    static let mostPlaces = 100

    /// 0...1.
    var volume: Float?
    /// The last one first.
    private(set) var places: [Place] = []

    init() {}

    /// - Parameter bytes: of a file that anybody may have written.
    /// - Returns: nil for a text of another kind; what no run writes is left out.
    init?(_ bytes: [UInt8]) {
        guard let memory = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else { return nil }
        volume = memory.volume.flatMap { (0...1).contains($0) ? $0 : nil }
        for place in memory.places.prefix(Self.mostPlaces).reversed() { note(place.file, at: place.seconds) }
    }

    /// - Parameter seconds: nil forgets the file.
    mutating func note(_ file: String, at seconds: Double?) {
        places.removeAll { $0.file == file }
        guard let seconds, (0...360_000).contains(seconds), file.hasPrefix("/"), file.utf8.count < 4096 else { return }
        places = [Place(file: file, seconds: seconds)] + places.prefix(Self.mostPlaces - 1)
    }

    /// Which of the files was left last, and where; nil is no file.
    func start(of files: [String?]) -> (index: Int, seconds: Double)? {
        let indices = Dictionary(files.enumerated().map { ($0.element, $0.offset) }) { first, _ in first }
        return places.lazy.compactMap { place in indices[place.file].map { ($0, place.seconds) } }.first
    }

    static var path: String { UserFile.folder("XDG_STATE_HOME", ".local/state") + "/audiosession/play.json" }

    /// - Throws: `BackendError` for a file that no run has written.
    static func read(_ path: String) throws(BackendError) -> PlayMemory {
        guard FilePath(path).status != nil else { return PlayMemory() }
        let bytes = try? GuardFiles.bytes(ofFile: path)
        if let memory = bytes.flatMap(PlayMemory.init) { return memory }
        let message = "\(path.printable) is not what 'audiosession play' writes, and is not used; remove it."
        throw BackendError(.notReadable, message)
    }

    /// Changes what is in the file now: another run may have written it.
    static func change(_ path: String, _ body: (inout PlayMemory) -> Void) throws(BackendError) {
        let old = try? read(path)
        var new = old ?? PlayMemory()
        body(&new)
        guard new != old, let text = try? JSONEncoder().encode(new) else { return }
        try UserFile.write(String(decoding: text, as: UTF8.self), to: path)
    }
}
