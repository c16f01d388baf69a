public import Foundation

/// The sound of an item: which track it is of, and whether it is heard.
///
/// Any thread.
///
/// Source: SDK header AVPlayerItemTrack.h of AVFoundation.
open class AVPlayerItemTrack: NSObject, @unchecked Sendable {
    // @unchecked: constants; subclasses have to keep to that.
    private let track: AVAssetTrack
    private let filter: MixFilter

    init(_ track: AVAssetTrack, _ filter: MixFilter) {
        (self.track, self.filter) = (track, filter)
        super.init()
    }

    /// What it plays.
    open var assetTrack: AVAssetTrack? { track }

    /// Whether it is heard; an item whose track is not plays on in silence.
    ///
    /// A change is heard within 0.3 s, and takes 5 ms.
    open var isEnabled: Bool {
        get { filter.isEnabled }
        set { filter.isEnabled = newValue }
    }
}
