public import Foundation

/// The picture of an item.
///
/// Linux has no `UIImage`, so it is the bytes of a PNG or JPEG file; the rest is as Apple's.
///
/// Any thread.
public final class MPMediaItemArtwork: NSObject, Sendable {
    private let request: @Sendable (CGSize) -> Data

    /// The size of the whole picture, in pixels.
    public let bounds: CGRect

    /// Creates artwork whose picture is made when the desktop asks for it.
    ///
    /// - Parameters:
    ///   - boundsSize: of the picture, in pixels.
    ///   - requestHandler: gives the picture for a size, as the bytes of a PNG or JPEG file; called on any thread.
    public init(boundsSize: CGSize, requestHandler: @escaping @Sendable (CGSize) -> Data) {
        bounds = CGRect(origin: .zero, size: boundsSize)
        request = requestHandler
    }

    /// The bytes of a PNG or JPEG file.
    ///
    /// - Parameter size: in pixels.
    public func imageData(at size: CGSize) -> Data { request(size) }
}
