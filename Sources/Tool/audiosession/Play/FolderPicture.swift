import Foundation
import Glibc

/// The picture of an album, as a file in its directory.
enum FolderPicture {
    private static let names = ["cover", "folder", "front", "album"]
    private static let extensions = ["jpg", "jpeg", "png"]
    /// As for pictures in tags.
    private static let largest = 8 << 20

    /// The first of cover, folder, front and album, in any case; nil if there is none of at most 8 MB.
    ///
    /// Waits for the disk; any thread.
    static func data(beside path: String) -> Data? {
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent()
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        let pictures = entries.sorted().compactMap { entry -> (rank: Int, name: String)? in
            let parts = entry.lowercased().split(separator: ".")
            guard parts.count == 2, extensions.contains(String(parts[1])) else { return nil }
            return names.firstIndex(of: String(parts[0])).map { ($0, entry) }
        }
        guard let picture = pictures.min(by: { $0.rank < $1.rank }) else { return nil }
        let file = directory.appendingPathComponent(picture.name)
        // A pipe of this name would be waited for.
        guard let status = FilePath(file.path).status, status.st_mode & S_IFMT == S_IFREG, status.st_size <= largest
        else {
            return nil
        }
        return try? Data(contentsOf: file)
    }
}
