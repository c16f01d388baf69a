/// The modules of Apple's screens, which Linux does not have, and the names by which a file uses them.
enum ScreenImports {
    static let modules = ["UIKit", "SwiftUI", "AppKit", "WatchKit"]

    /// How the names begin that come with a module; nil where they cannot be told from others.
    ///
    /// Foundation has `NS…` of AppKit's form, and SwiftUI's names have no prefix.
    private static let prefixes: [String: [String]] = [
        "UIKit": [
            "UI", "CA", "CI", "CT", "CG", "IB", "NSLayout", "NSText", "NSDirectional", "NSDiffable", "NSCollection",
        ],
        "WatchKit": ["WK", "UI", "CA", "CG"],
    ]
    /// Foundation has them on Linux too.
    private static let ofFoundation: Set<String> = [
        "CGFloat", "CGPoint", "CGSize", "CGRect", "CGVector", "NSTextCheckingResult",
    ]

    /// The first imported module whose names the file may use; nil where it needs none.
    static func needed(by source: SourceText) -> String? {
        modules.first { source.imports($0) && isNeeded($0, by: source) }
    }

    /// The lines that import modules of which the file uses no name, where no `#if` is around them yet.
    static func unneeded(in source: SourceText) -> [(module: String, line: Range<Int>)] {
        modules.filter { !isNeeded($0, by: source) }.flatMap { module in
            source.importPositions(of: module).filter { !source.isConditional($0) }
                .map { (module, source.line(around: $0)) }
        }
    }

    private static func isNeeded(_ module: String, by source: SourceText) -> Bool {
        guard let prefixes = prefixes[module] else { return true }
        return prefixes.contains { prefix in
            source.words(beginningWith: prefix).contains { word in
                let rest = word.dropFirst(prefix.count)
                return !modules.contains(word) && !ofFoundation.contains(word) && rest.first?.isUppercase == true
            }
        }
    }
}
