extension String {
    /// This text without control characters, line breaks and invisible formatting, safe to show on a terminal.
    ///
    /// Device names and file tags come from outside; an escape sequence in one could repaint or reprogram a terminal, and
    /// a bidirectional override could show another name than the one that is compared. Each such character becomes
    /// U+FFFD, so that the reader sees that something was there.
    ///
    /// All of the category Format is replaced but the two joiners: without U+200C and U+200D, Persian and Hindi words and
    /// many emoji would fall apart, and they only choose between two shapes of their neighbours. Letters that look alike
    /// stay.
    package var printable: String {
        var kept = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .surrogate: kept.append("\u{FFFD}")
            case .format where scalar != "\u{200C}" && scalar != "\u{200D}": kept.append("\u{FFFD}")
            default: kept.append(scalar)
            }
        }
        return String(kept)
    }
}

/// Calls a C function with a buffer for the text of its error.
package func withShimText<R>(_ body: (UnsafeMutablePointer<CChar>, Int) -> R) -> (R, String) {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { text in
        text.initialize(repeating: 0)
        let result = body(text.baseAddress!, text.count)
        return (result, String(cString: text.baseAddress!))
    }
}

/// NULL for nil.
package func withOptionalCString<R>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> R) -> R {
    guard let text else { return body(nil) }
    return text.withCString { body($0) }
}
