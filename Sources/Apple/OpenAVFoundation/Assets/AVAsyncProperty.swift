public import CoreMedia
import Dispatch

/// A property of an asset that `load` reads.
///
/// Source: Apple documentation, "AVPartialAsyncProperty".
public class AVPartialAsyncProperty<Root: AnyObject>: @unchecked Sendable {
    // @unchecked: the one subclass has a constant only.
    fileprivate init() {}
}

/// A property of an asset that `load` reads, with its type.
///
/// Source: Apple documentation, "AVAsyncProperty".
public final class AVAsyncProperty<Root: AnyObject, Value: Sendable>: AVPartialAsyncProperty<Root>, @unchecked Sendable
{
    // @unchecked: a constant.
    fileprivate let read: @Sendable (Root) throws -> Value

    init(_ read: @escaping @Sendable (Root) throws -> Value) {
        self.read = read
        super.init()
    }
}

extension AVPartialAsyncProperty where Root: AVAsset {
    /// The length; `.indefinite` where the file does not say.
    public static var duration: AVAsyncProperty<Root, CMTime> {
        AVAsyncProperty { CMTime(durationOf: try $0.info()) }
    }

    /// Whether the file can be played.
    public static var isPlayable: AVAsyncProperty<Root, Bool> { AVAsyncProperty { $0.isPlayable } }

    /// The facts of the tags that every kind of file may have.
    public static var commonMetadata: AVAsyncProperty<Root, [AVMetadataItem]> {
        AVAsyncProperty { try $0.readMetadata().filter { $0.commonKey != nil } }
    }

    /// The facts of the tags.
    public static var metadata: AVAsyncProperty<Root, [AVMetadataItem]> { AVAsyncProperty { try $0.readMetadata() } }

    /// Whether the file is encrypted; never.
    public static var hasProtectedContent: AVAsyncProperty<Root, Bool> { AVAsyncProperty { _ in false } }
}

/// What has properties that take time to read.
///
/// Source: Apple documentation, "AVAsynchronousKeyValueLoading".
public protocol AVAsynchronousKeyValueLoading: AnyObject, Sendable {}

extension AVAsynchronousKeyValueLoading {
    /// Reads a property without blocking the caller.
    ///
    /// - Throws: `NSError` that describes the problem with the file.
    public func load<Value>(_ property: AVAsyncProperty<Self, Value>) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try property.read(self) }) }
        }
    }

    /// Reads two properties; see `load(_:)`.
    public func load<A, B>(_ a: AVAsyncProperty<Self, A>, _ b: AVAsyncProperty<Self, B>) async throws -> (A, B) {
        (try await load(a), try await load(b))
    }

    /// Reads three properties; see `load(_:)`.
    public func load<A, B, C>(
        _ a: AVAsyncProperty<Self, A>, _ b: AVAsyncProperty<Self, B>, _ c: AVAsyncProperty<Self, C>
    ) async throws -> (A, B, C) {
        (try await load(a), try await load(b), try await load(c))
    }
}
