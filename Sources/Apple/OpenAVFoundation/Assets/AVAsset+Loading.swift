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
