extension String {
    /// This text without control characters, line breaks and bidirectional overrides, safe to show on a terminal.
    ///
    /// Device names and file tags come from outside; an escape sequence in one could repaint or reprogram a terminal.
    package var printable: String {
        var kept = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .surrogate, .format: kept.append("\u{FFFD}")
            default: kept.append(scalar)
            }
        }
        return String(kept)
    }
}
