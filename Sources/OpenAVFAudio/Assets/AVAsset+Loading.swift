import Foundation

// Loading by the names of properties, as code from before async functions does.
//
// Source: SDK header AVAsynchronousKeyValueLoading.h of AVFoundation.

/// How far the loading of a property is.
@nonexhaustive public enum AVKeyValueStatus: Int, Sendable {
    /// It has not been asked for.
    case unknown = 0
    /// It is being read.
    case loading = 1
    /// It can be read without waiting.
    case loaded = 2
    /// It cannot be read.
    case failed = 3
    /// `cancelLoading` was called meanwhile.
    case cancelled = 4
}

extension AVAsset {
    /// Reads the file's header, which all properties come from, without blocking the caller.
    ///
    /// - Parameters:
    ///   - keys: names of properties.
    ///   - handler: called once, on a thread of its own; `statusOfValue(forKey:error:)` says what has come of it.
    public func loadValuesAsynchronously(
        forKeys keys: [String], completionHandler handler: (@Sendable () -> Void)? = nil
    ) {
        beginLoading()
        DispatchQueue.global().async {
            self.finishLoading(Result { _ = try self.readMetadata() })
            handler?()
        }
    }

    /// How far the loading is; of one that failed, the error says why.
    ///
    /// - Parameters:
    ///   - key: all properties come from the file's header, and have one status.
    ///   - outError: set where the answer is `.failed`.
    public func statusOfValue(forKey key: String, error outError: NSErrorPointer) -> AVKeyValueStatus {
        let (status, error) = loading
        if status == .failed { outError?.pointee = error }
        return status
    }

    /// What is being loaded is not told of any more.
    public func cancelLoading() { cancelLoadingOfValues() }
}

extension AVMetadataItem {
    /// Calls the handler: the values of an item are there from the start.
    ///
    /// - Parameters:
    ///   - keys: names of properties.
    ///   - handler: called once, on a thread of its own.
    public func loadValuesAsynchronously(
        forKeys keys: [String], completionHandler handler: (@Sendable () -> Void)? = nil
    ) {
        if let handler { DispatchQueue.global().async { handler() } }
    }

    /// Always `.loaded`.
    public func statusOfValue(forKey key: String, error outError: NSErrorPointer) -> AVKeyValueStatus { .loaded }
}
