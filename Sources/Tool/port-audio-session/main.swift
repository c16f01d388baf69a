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
guard !arguments.isEmpty, !arguments.contains(where: { $0.hasPrefix("-") }) else { fail(usage, status: 64) }

func swiftFiles(at path: String) -> [String]? {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else { return nil }
    guard isDirectory.boolValue else { return [path] }
    let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    return names.filter { $0.hasSuffix(".swift") && !$0.hasPrefix(".build/") }.sorted().map { path + "/" + $0 }
}

func fail(_ text: String, status: Int32) -> Never {
    FileHandle.standardError.write(Data((text + "\n").utf8))
    exit(status)
}

var remarks: [String] = []
var files: [(path: String, text: String)] = []
for path in arguments {
    guard let found = swiftFiles(at: path) else {
        fail("There is no file or directory \"\(path)\". Give an existing path.", status: 66)
    }
    for file in found {
        if let text = try? String(contentsOfFile: file, encoding: .utf8) {
            files.append((file, text))
        } else {
            remarks.append("\(file): cannot be read as UTF-8")
        }
    }
}

/// On a terminal, how far it is, over and over in one line.
func showProgress(_ done: Int, of count: Int) {
    guard isatty(2) == 1, count > 100, done % 50 == 0 || done == 2 * count else { return }
    let text = done == 2 * count ? "\r\u{1B}[K" : "\r\(done / 2) of \(count) files"
    FileHandle.standardError.write(Data(text.utf8))
}

var changed = 0
let count = files.count
let results = Porter.port(files.map(\.text)) { showProgress($0, of: count) }
for (file, result) in zip(files, results) {
    remarks += result.remarks.map { "\(file.path):\($0.line): \($0.text)" }
    guard result.text != file.text else { continue }
    changed += 1
    guard writes else {
        print(LineDiff.unified(file.text, result.text, path: file.path), terminator: "")
        continue
    }
    do {
        try result.text.write(toFile: file.path, atomically: true, encoding: .utf8)
    } catch {
        fail("\(file.path) cannot be written: \(error.localizedDescription)", status: 73)
    }
}
remarks += Porter.remarks(onProject: results.map(\.text))
let summary =
    "\(changed) \(changed == 1 ? "file" : "files") \(writes ? "changed" : "to change"), \(remarks.count) left to you"
FileHandle.standardError.write(Data((remarks + [summary]).joined(separator: "\n").utf8 + Data("\n".utf8)))
