public import Foundation
import SessionRuntime
import Synchronization

/// One fact of a sound's tags: its title, its artist, its picture.
///
/// Any thread.
///
/// Source: SDK header AVMetadataItem.h of AVFoundation.
open class AVMetadataItem: NSObject, NSCopying, NSMutableCopying, AVAsynchronousKeyValueLoading, @unchecked Sendable {
    // @unchecked: one Mutex, which only initialisers and `AVMutableMetadataItem` change; subclasses have to keep to that.
    fileprivate let state = Mutex(MetadataFields())

    /// An item without a key and a value, for a double of an app's tests.
    public override init() { super.init() }

    /// Convenience: a subclass of an app's inherits the initialisers only if it may see all designated ones.
    convenience init(_ fields: MetadataFields) {
        self.init()
        state.withLock { $0 = fields }
    }

    fileprivate var fields: MetadataFields { state.withLock { $0 } }

    /// The same object: it does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// An item that can be changed, of the same key and value.
    open func mutableCopy(with zone: NSZone? = nil) -> Any { AVMutableMetadataItem(fields) }

    /// The key space and the key.
    open var identifier: AVMetadataIdentifier? {
        guard let space = keySpace, let key else { return nil }
        return AVMetadataItem.identifier(forKey: key, keySpace: space)
    }

    /// The identifier of a key in its key space.
    ///
    /// - Parameters:
    ///   - key: a text.
    ///   - keySpace: where it belongs to.
    open class func identifier(forKey key: Any, keySpace: AVMetadataKeySpace) -> AVMetadataIdentifier? {
        (key as? AVMetadataKey).map { AVMetadataIdentifier(space: keySpace, key: $0.rawValue) }
            ?? AVMetadataIdentifier(space: keySpace, key: "\(key)")
    }

    /// Which kind of tag the item comes from.
    open var keySpace: AVMetadataKeySpace? { fields.space }

    /// The name of the tag in its key space, as an `NSString`.
    open var key: (any NSCopying & NSObjectProtocol)? { fields.key }

    /// Nil for what only one kind of file has.
    open var commonKey: AVMetadataKey? {
        guard let space = keySpace, let key else { return nil }
        return AVMetadataKey.common(for: "\(key)", in: space)
    }

    /// `NSString`, `NSNumber` or `NSData`.
    open var value: (any NSCopying & NSObjectProtocol)? { fields.value }

    /// What else the tag says: the description of a comment, a text or a picture of ID3.
    open var extraAttributes: [AVMetadataExtraAttributeKey: Any]? {
        let attributes = fields.attributes
        return attributes.isEmpty ? nil : attributes
    }

    /// Nil for what is no text and no number.
    open var stringValue: String? {
        switch value {
        case let text as NSString: "\(text)"
        case let number as NSNumber: number.stringValue
        default: nil
        }
    }

    /// A number, or the whole number that the text begins with: a year, the number of a track.
    open var numberValue: NSNumber? {
        fields.number ?? value as? NSNumber
            ?? stringValue.flatMap { Int($0.prefix { $0.isASCII && $0.isNumber }) }.map { NSNumber(value: $0) }
    }

    /// A date, or that of a text that is a day: "2019-05-04".
    open var dateValue: Date? {
        if let date = value as? NSDate { return date as Date }
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withFullDate]
        return stringValue.flatMap { formatter.date(from: String($0.prefix(10))) }
    }

    /// Of a picture a whole file, such as JPEG or PNG, as the tags have it; of a track's number what iTunes writes; nil for a text.
    open var dataValue: Data? { fields.data ?? (value as? NSData).map { $0 as Data } }

    /// "public.jpeg", "public.utf-8", ...
    open var dataType: String? { fields.dataType }

    /// Calls the handler: the values of an item are there from the start.
    ///
    /// - Parameters:
    ///   - keys: names of properties.
    ///   - handler: called once, on a thread of its own.
    @preconcurrency
    open func loadValuesAsynchronously(
        forKeys keys: [String], completionHandler handler: (@Sendable () -> Void)? = nil
    ) {
        if let handler { DispatchQueue.global().async { handler() } }
    }

    /// Always `.loaded`.
    open func statusOfValue(forKey key: String, error outError: NSErrorPointer) -> AVKeyValueStatus { .loaded }

    /// The items with an identifier; with a common one those of every kind of tag that mean the same.
    open class func metadataItems(
        from metadataItems: [AVMetadataItem], filteredByIdentifier identifier: AVMetadataIdentifier
    ) -> [AVMetadataItem] {
        metadataItems.filter { item in
            item.identifier == identifier
                || item.commonKey.map { AVMetadataIdentifier(space: .common, key: $0.rawValue) } == identifier
        }
    }

    /// The items with a key, and of a key space.
    ///
    /// - Parameters:
    ///   - metadataItems: searched in their order.
    ///   - key: a text or an `AVMetadataKey`; nil: any.
    ///   - keySpace: nil: any; `common`: of every kind of tag, by their common keys.
    open class func metadataItems(
        from metadataItems: [AVMetadataItem], withKey key: Any?, keySpace: AVMetadataKeySpace?
    ) -> [AVMetadataItem] {
        let name = (key as? AVMetadataKey)?.rawValue ?? (key as? String) ?? (key as? NSString).map { "\($0)" }
        guard key == nil || name != nil else { return [] }
        return metadataItems.filter { item in
            let isCommon = item.commonKey != nil && (name == nil || item.commonKey?.rawValue == name)
            let isOwn = name == nil || item.key.map { "\($0)" } == name
            return switch keySpace {
            case nil: isCommon || isOwn
            case .common?: isCommon
            case let space?: isOwn && item.keySpace == space
            }
        }
    }
}

/// A fact that an app states itself, as for a group of its own.
///
/// Any thread. Nothing is written to a file.
///
/// Source: SDK header AVMetadataItem.h of AVFoundation.
open class AVMutableMetadataItem: AVMetadataItem, @unchecked Sendable {
    /// An item without a key and a value.
    public override init() { super.init() }

    /// An item of the same key and value, which does not change.
    open override func copy(with zone: NSZone? = nil) -> Any { AVMetadataItem(fields) }

    /// The key space and the key; nil without both, or to remove both.
    open override var identifier: AVMetadataIdentifier? {
        get { super.identifier }
        set {
            let parts = newValue?.parts
            state.change {
                $0.space = parts?.space
                $0.key = parts.map { NSString(string: $0.key) }
            }
        }
    }

    /// Which kind of tag the item comes from; nil at first.
    open override var keySpace: AVMetadataKeySpace? {
        get { super.keySpace }
        set { state.change { $0.space = newValue } }
    }

    /// The name of the tag in its key space; nil at first.
    open override var key: (any NSCopying & NSObjectProtocol)? {
        get { super.key }
        set { state.change { $0.key = newValue } }
    }

    /// `NSString`, `NSNumber`, `NSDate`, `NSData` or another object; nil at first.
    open override var value: (any NSCopying & NSObjectProtocol)? {
        get { super.value }
        set {
            state.change {
                $0.value = newValue
                ($0.number, $0.data) = (nil, nil)
            }
        }
    }

    /// What else the tag says; nil at first.
    open override var extraAttributes: [AVMetadataExtraAttributeKey: Any]? {
        get { super.extraAttributes }
        set { state.change { $0.attributes = newValue ?? [:] } }
    }

    /// A number, or the whole number that a text begins with.
    open override var numberValue: NSNumber? { super.numberValue }

    /// Nil for what is no data.
    open override var dataValue: Data? { super.dataValue }

    /// What the app set; nil at first.
    open override var dataType: String? {
        get { super.dataType }
        set { state.change { $0.dataType = newValue } }
    }
}

extension AVPartialAsyncProperty where Root: AVMetadataItem {
    /// For `load(_:)`: the value as a text, or nil.
    public static var stringValue: AVAsyncProperty<Root, String?> { AVAsyncProperty { $0.stringValue } }
    /// For `load(_:)`: the value as a number, or nil.
    public static var numberValue: AVAsyncProperty<Root, NSNumber?> { AVAsyncProperty { $0.numberValue } }
    /// For `load(_:)`: the value as a date, or nil.
    public static var dateValue: AVAsyncProperty<Root, Date?> { AVAsyncProperty { $0.dateValue } }
    /// For `load(_:)`: the value as data, or nil.
    public static var dataValue: AVAsyncProperty<Root, Data?> { AVAsyncProperty { $0.dataValue } }
}
