public import Foundation

/// The kinds of languages of an item.
///
/// Source: SDK header MPNowPlayingInfoLanguageOption.h of MediaPlayer.
public enum MPNowPlayingInfoLanguageOptionType: UInt, Sendable {
    /// Of the sound.
    case audible = 0
    /// Of the text.
    case legible = 1
}

/// A language of an item, for `MPNowPlayingInfoPropertyCurrentLanguageOptions`; the desktop shows none.
///
/// Source: SDK header MPNowPlayingInfoLanguageOption.h of MediaPlayer.
open class MPNowPlayingInfoLanguageOption: NSObject, @unchecked Sendable {
    // @unchecked: constants; subclasses have to keep to that.
    /// What it is a language of.
    public let languageOptionType: MPNowPlayingInfoLanguageOptionType
    /// BCP 47, as "en-US"; nil where there is none.
    public let languageTag: String?
    /// What else is special about it, as names of the app's.
    public let languageOptionCharacteristics: [String]?
    /// For people.
    public let displayName: String?
    /// The app's own name of it.
    public let identifier: String?

    /// A language.
    ///
    /// - Parameters:
    ///   - languageOptionType: what it is a language of.
    ///   - languageTag: BCP 47, as "en-US".
    ///   - languageOptionCharacteristics: what else is special about it.
    ///   - displayName: for people.
    ///   - identifier: the app's own name of it.
    public init(
        type languageOptionType: MPNowPlayingInfoLanguageOptionType, languageTag: String,
        characteristics languageOptionCharacteristics: [String]?, displayName: String, identifier: String
    ) {
        self.languageOptionType = languageOptionType
        self.languageTag = languageTag
        self.languageOptionCharacteristics = languageOptionCharacteristics
        self.displayName = displayName
        self.identifier = identifier
        super.init()
    }
}

/// Languages of which one is chosen, for `MPNowPlayingInfoPropertyAvailableLanguageOptions`; the desktop shows none.
///
/// Source: SDK header MPNowPlayingInfoLanguageOption.h of MediaPlayer.
open class MPNowPlayingInfoLanguageOptionGroup: NSObject, @unchecked Sendable {
    // @unchecked: constants; subclasses have to keep to that.
    /// What can be chosen.
    public let languageOptions: [MPNowPlayingInfoLanguageOption]
    /// What is chosen first.
    public let defaultLanguageOption: MPNowPlayingInfoLanguageOption?
    /// Whether none may be chosen.
    public let allowEmptySelection: Bool

    /// A choice of languages.
    ///
    /// - Parameters:
    ///   - languageOptions: what can be chosen.
    ///   - defaultLanguageOption: what is chosen first.
    ///   - allowEmptySelection: whether none may be chosen.
    public init(
        languageOptions: [MPNowPlayingInfoLanguageOption], defaultLanguageOption: MPNowPlayingInfoLanguageOption?,
        allowEmptySelection: Bool
    ) {
        self.languageOptions = languageOptions
        self.defaultLanguageOption = defaultLanguageOption
        self.allowEmptySelection = allowEmptySelection
        super.init()
    }
}
