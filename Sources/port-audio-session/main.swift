import Foundation

// port-audio-session [--write] PATH...: shows, or makes, the changes that iOS audio code needs on Linux.

let usage = """
    usage: swift package port-audio-session [--write] PATH...
      PATH      a Swift file or a directory
      --write   changes the files; without it, the difference is printed
    """

var arguments = Array(CommandLine.arguments.dropFirst())
let writes = arguments.contains("--write")
arguments.removeAll { $0 == "--write" }
if arguments.contains("--help") || arguments.contains("-h") {
    print(usage)
    exit(0)
}
guard !arguments.isEmpty, !arguments.contains(where: { $0.hasPrefix("-") }) else {
    FileHandle.standardError.write(Data((usage + "\n").utf8))
    exit(64)
}

func swiftFiles(at path: String) -> [String]? {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else { return nil }
    guard isDirectory.boolValue else { return [path] }
    let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    return names.filter { $0.hasSuffix(".swift") && !$0.hasPrefix(".build/") }.sorted().map { path + "/" + $0 }
}

var changed = 0
var remarks: [String] = []
for path in arguments {
    guard let files = swiftFiles(at: path) else {
        FileHandle.standardError.write(Data("There is no file or directory \"\(path)\". Give an existing path.\n".utf8))
        exit(66)
    }
    for file in files {
        guard let old = try? String(contentsOfFile: file, encoding: .utf8) else {
            remarks.append("\(file): cannot be read as UTF-8")
            continue
        }
        let result = Porter.port(old)
        remarks += result.remarks.map { "\(file):\($0.line): \($0.text)" }
        guard result.text != old else { continue }
        changed += 1
        if writes {
            do {
                try result.text.write(toFile: file, atomically: true, encoding: .utf8)
            } catch {
                FileHandle.standardError.write(Data("\(file) cannot be written: \(error.localizedDescription)\n".utf8))
                exit(73)
            }
        } else {
            print(LineDiff.unified(old, result.text, path: file), terminator: "")
        }
    }
}
let summary =
    "\(changed) \(changed == 1 ? "file" : "files") \(writes ? "changed" : "to change"), \(remarks.count) left to you"
FileHandle.standardError.write(Data((remarks + [summary]).joined(separator: "\n").utf8 + Data("\n".utf8)))
