public import Foundation

/// The picture of an item.
///
/// Linux has no `UIImage`, so it is the bytes of a PNG or JPEG file; the rest is as Apple's.
///
/// Any thread.
open class MPMediaItemArtwork: NSObject, @unchecked Sendable {
    // @unchecked: constants; subclasses have to keep to that.
    private let request: @Sendable (CGSize) -> Data

    private let size: CGSize

    /// The size of the whole picture, in pixels.
    open var bounds: CGRect { CGRect(origin: .zero, size: size) }

    /// Creates artwork whose picture is made when the desktop asks for it.
    ///
    /// - Parameters:
    ///   - boundsSize: of the picture, in pixels.
    ///   - requestHandler: gives the picture for a size, as the bytes of a PNG or JPEG file; called on any thread.
    @preconcurrency
    public init(boundsSize: CGSize, requestHandler: @escaping @Sendable (CGSize) -> Data) {
        size = boundsSize
        request = requestHandler
    }

    /// Creates artwork from an app's own type of picture, such as one that stands in for `UIImage`.
    ///
    /// - Parameters:
    ///   - boundsSize: of the picture, in pixels.
    ///   - requestHandler: gives the picture for a size; called on any thread. A picture that is no `MPArtworkImage` is not shown.
    @preconcurrency
    public init<Image>(boundsSize: CGSize, requestHandler: @escaping @Sendable (CGSize) -> Image) {
        size = boundsSize
        request = { (requestHandler($0) as? any MPArtworkImage)?.pngData() ?? Data() }
    }

    /// The bytes of a PNG or JPEG file; none where there is no picture.
    ///
    /// - Parameter size: in pixels.
    open func imageData(at size: CGSize) -> Data { request(size) }
}

/// A picture of an app's own, which `MPMediaItemArtwork` takes.
public protocol MPArtworkImage {
    /// The bytes of a PNG or JPEG file, as of `UIImage`; nil where there is no picture.
    func pngData() -> Data?
}
