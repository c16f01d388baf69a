internal import AudioFiles
public import Foundation
internal import MediaStreams
private import Synchronization

/// Asks an app for the bytes of an asset whose URL has a scheme of the app's own.
///
/// For `http`, `https` and files the delegate is not asked. Any thread.
///
/// Source: SDK header AVAssetResourceLoader.h of AVFoundation.
open class AVAssetResourceLoader: NSObject, @unchecked Sendable {
    // @unchecked: constants, and one Mutex.
    private let state = Mutex(State())
    private let url: URL

    private struct State: @unchecked Sendable {
        // Rule: the delegate is called on `queue` only.
        weak var delegate: (any AVAssetResourceLoaderDelegate)?
        var queue: DispatchQueue?
    }

    init(url: URL) {
        self.url = url
        super.init()
    }

    /// Who gives the bytes; not kept.
    open var delegate: (any AVAssetResourceLoaderDelegate)? { state.withLock { $0.delegate } }
    /// Where the delegate is called.
    open var delegateQueue: DispatchQueue? { state.withLock { $0.queue } }

    /// Has an app give the bytes of the asset; to be called before it is read.
    ///
    /// - Parameters:
    ///   - delegate: is not kept.
    ///   - queue: where it is called; nil is a queue of the loader's own. Bytes that are given there cannot come while it waits for a
    ///     property of the asset.
    open func setDelegate(_ delegate: (any AVAssetResourceLoaderDelegate)?, queue: DispatchQueue?) {
        state.withLock { state in
            state.queue = queue ?? state.queue ?? DispatchQueue(label: "avfaudio-resources")
            state.delegate = delegate
        }
    }

    /// - Throws: where the delegate does not load it, or ends the first request with an error.
    func source(_ cancellation: Cancellation) throws(AudioFileError) -> SuppliedSound {
        let information = AVAssetResourceLoadingContentInformationRequest()
        let isFirst = Atomic(true)
        return try SuppliedSound(named: url.absoluteString, cancellation: cancellation, facts: { information.facts }) {
            [self] piece in
            let isInformed = isFirst.exchange(false, ordering: .relaxed)
            ask(AVAssetResourceLoadingRequest(url, isInformed ? information : nil, piece), piece)
        }
    }

    private func ask(_ request: AVAssetResourceLoadingRequest, _ piece: SuppliedPiece) {
        guard let queue = delegateQueue else { return }
        piece.onDrop { [self] in
            request.noteCancellation()
            queue.async { [self] in delegate?.resourceLoader(self, didCancel: request) }
        }
        queue.async { [self] in
            let isLoading = delegate?.resourceLoader(self, shouldWaitForLoadingOfRequestedResource: request)
            if isLoading != true {
                piece.end(
                    failure: isLoading == nil
                        ? "its loader's delegate is gone" : "its loader's delegate does not load it")
            }
        }
    }
}

/// Gives the bytes of an asset.
///
/// Source: SDK header AVAssetResourceLoader.h of AVFoundation.
public protocol AVAssetResourceLoaderDelegate: NSObjectProtocol {
    /// Asked for bytes; the app gives them now or later, on any thread.
    ///
    /// - Returns: false where it does not: the asset cannot be read then.
    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
    ) -> Bool

    /// A request is not needed any more: the player went elsewhere, or enough has come.
    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader, didCancel loadingRequest: AVAssetResourceLoadingRequest)
}

extension AVAssetResourceLoaderDelegate {
    public func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
    ) -> Bool { false }
    public func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader, didCancel loadingRequest: AVAssetResourceLoadingRequest
    ) {}
}

/// One request for bytes, which the app ends.
///
/// Source: SDK header AVAssetResourceLoader.h of AVFoundation.
open class AVAssetResourceLoadingRequest: NSObject, @unchecked Sendable {
    // @unchecked: constants, and one Mutex.
    private let piece: SuppliedPiece
    private let ending = Mutex(Ending.open)

    /// Legal exits: open -> finished, cancelled.
    private enum Ending { case open, finished, cancelled }

    /// What is to be loaded.
    public struct Request: Sendable {
        /// The address of the asset.
        public let url: URL?
    }

    /// What is to be loaded; its address alone, where iOS has a `URLRequest`.
    public let request: Request
    /// What the app tells about the whole; with the first request of an asset only, which has 2 bytes.
    public let contentInformationRequest: AVAssetResourceLoadingContentInformationRequest?
    /// Which bytes are wanted.
    public let dataRequest: AVAssetResourceLoadingDataRequest?

    init(_ url: URL, _ information: AVAssetResourceLoadingContentInformationRequest?, _ piece: SuppliedPiece) {
        request = Request(url: url)
        contentInformationRequest = information
        dataRequest = AVAssetResourceLoadingDataRequest(piece)
        self.piece = piece
        super.init()
    }

    /// Whether the app has ended it.
    open var isFinished: Bool { ending.withLock { $0 == .finished } }
    /// Whether its bytes are not needed any more.
    open var isCancelled: Bool { ending.withLock { $0 == .cancelled } }

    /// The bytes have been given; fewer than were asked for are asked for again.
    open func finishLoading() { finish(nil) }

    /// The bytes cannot be given: the asset fails.
    ///
    /// - Parameter error: its words are part of the asset's error; nil as `finishLoading`.
    open func finishLoading(with error: (any Error)?) { finish(error?.localizedDescription) }

    private func finish(_ failure: String?) {
        let isOpen = ending.withLock { ending in
            defer { if ending == .open { ending = .finished } }
            return ending == .open
        }
        if isOpen { piece.end(failure: failure) }
    }

    func noteCancellation() { ending.withLock { if $0 == .open { $0 = .cancelled } } }
}

/// What an app tells about the whole of an asset's bytes.
///
/// Any thread.
///
/// Source: SDK header AVAssetResourceLoader.h of AVFoundation.
open class AVAssetResourceLoadingContentInformationRequest: NSObject, @unchecked Sendable {
    // @unchecked: one Mutex.
    private let state = Mutex(State())

    private struct State {
        var type: String?
        var byteCount: Int64 = 0
        var hasPieces = false
    }

    /// Without effect: the bytes themselves are examined.
    open var contentType: String? {
        get { state.withLock { $0.type } }
        set { state.withLock { $0.type = newValue } }
    }

    /// In bytes; 0, as at first, where it is not known.
    open var contentLength: Int64 {
        get { state.withLock { $0.byteCount } }
        set { state.withLock { $0.byteCount = newValue } }
    }

    /// Whether pieces from any place can be asked for; without them the sound cannot be sought.
    open var isByteRangeAccessSupported: Bool {
        get { state.withLock { $0.hasPieces } }
        set { state.withLock { $0.hasPieces = newValue } }
    }

    var facts: SuppliedSound.Facts {
        state.withLock { SuppliedSound.Facts(byteCount: $0.byteCount, hasPieces: $0.hasPieces) }
    }
}

/// The bytes that a request wants.
///
/// Any thread.
///
/// Source: SDK header AVAssetResourceLoader.h of AVFoundation.
open class AVAssetResourceLoadingDataRequest: NSObject, @unchecked Sendable {
    // @unchecked: constants.
    private let piece: SuppliedPiece

    init(_ piece: SuppliedPiece) {
        self.piece = piece
        super.init()
    }

    /// The first byte, from the beginning of the asset.
    open var requestedOffset: Int64 { piece.offset }
    /// How many: 1 MB at most where pieces can be asked for, and otherwise all.
    open var requestedLength: Int { Int(piece.byteCount) }
    /// Whether all that follows is wanted.
    open var requestsAllDataToEndOfResource: Bool { piece.isToTheEnd }
    /// The next byte to give.
    open var currentOffset: Int64 { piece.offset + piece.givenCount }

    /// Gives the next bytes; what is beyond the length is dropped, and the request cancelled.
    open func respond(with data: Data) { piece.append(data) }
}
