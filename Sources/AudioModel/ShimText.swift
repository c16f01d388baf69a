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
