import Foundation

// The names of facts: those that every kind of tag has, and those of ID3, of iTunes and of QuickTime.
//
// Source: SDK headers AVMetadataFormat.h and AVMetadataIdentifiers.h of AVFoundation; id3.org.

extension AVMetadataKey {
    /// The title.
    public static let commonKeyTitle = AVMetadataKey(rawValue: "title")
    /// The composer.
    public static let commonKeyCreator = AVMetadataKey(rawValue: "creator")
    /// The subject.
    public static let commonKeySubject = AVMetadataKey(rawValue: "subject")
    /// The comment.
    public static let commonKeyDescription = AVMetadataKey(rawValue: "description")
    /// The publisher.
    public static let commonKeyPublisher = AVMetadataKey(rawValue: "publisher")
    /// Who else has a part in it.
    public static let commonKeyContributor = AVMetadataKey(rawValue: "contributor")
    /// The date, as the file writes it.
    public static let commonKeyCreationDate = AVMetadataKey(rawValue: "creationDate")
    /// When it was changed.
    public static let commonKeyLastModifiedDate = AVMetadataKey(rawValue: "lastModifiedDate")
    /// The genre.
    public static let commonKeyType = AVMetadataKey(rawValue: "type")
    /// The format.
    public static let commonKeyFormat = AVMetadataKey(rawValue: "format")
    /// What identifies it.
    public static let commonKeyIdentifier = AVMetadataKey(rawValue: "identifier")
    /// Where it comes from.
    public static let commonKeySource = AVMetadataKey(rawValue: "source")
    /// The language.
    public static let commonKeyLanguage = AVMetadataKey(rawValue: "language")
    /// What it belongs to.
    public static let commonKeyRelation = AVMetadataKey(rawValue: "relation")
    /// Where it was made.
    public static let commonKeyLocation = AVMetadataKey(rawValue: "location")
    /// The copyright notice.
    public static let commonKeyCopyrights = AVMetadataKey(rawValue: "copyrights")
    /// The name of the album.
    public static let commonKeyAlbumName = AVMetadataKey(rawValue: "albumName")
    /// The author.
    public static let commonKeyAuthor = AVMetadataKey(rawValue: "author")
    /// The artist.
    public static let commonKeyArtist = AVMetadataKey(rawValue: "artist")
    /// The picture.
    public static let commonKeyArtwork = AVMetadataKey(rawValue: "artwork")
    /// The maker of the device that recorded it.
    public static let commonKeyMake = AVMetadataKey(rawValue: "make")
    /// The device that recorded it.
    public static let commonKeyModel = AVMetadataKey(rawValue: "model")
    /// The program that made the file.
    public static let commonKeySoftware = AVMetadataKey(rawValue: "software")
    /// A description for those who cannot hear it.
    public static let commonKeyAccessibilityDescription = AVMetadataKey(rawValue: "accessibilityDescription")
    /// What a radio station says that it plays, a text.
    public static let icyMetadataKeyStreamTitle = AVMetadataKey(rawValue: "StreamTitle")
    /// The address that a radio station sends, a text.
    public static let icyMetadataKeyStreamURL = AVMetadataKey(rawValue: "StreamUrl")
}

extension AVMetadataIdentifier {
    /// The title, in any kind of tag.
    public static let commonIdentifierTitle = AVMetadataIdentifier(rawValue: "comn/title")
    /// The composer, in any kind of tag.
    public static let commonIdentifierCreator = AVMetadataIdentifier(rawValue: "comn/creator")
    /// The subject, in any kind of tag.
    public static let commonIdentifierSubject = AVMetadataIdentifier(rawValue: "comn/subject")
    /// The comment, in any kind of tag.
    public static let commonIdentifierDescription = AVMetadataIdentifier(rawValue: "comn/description")
    /// The publisher, in any kind of tag.
    public static let commonIdentifierPublisher = AVMetadataIdentifier(rawValue: "comn/publisher")
    /// Who else has a part in it, in any kind of tag.
    public static let commonIdentifierContributor = AVMetadataIdentifier(rawValue: "comn/contributor")
    /// The date, as the file writes it, in any kind of tag.
    public static let commonIdentifierCreationDate = AVMetadataIdentifier(rawValue: "comn/creationDate")
    /// When it was changed, in any kind of tag.
    public static let commonIdentifierLastModifiedDate = AVMetadataIdentifier(rawValue: "comn/lastModifiedDate")
    /// The genre, in any kind of tag.
    public static let commonIdentifierType = AVMetadataIdentifier(rawValue: "comn/type")
    /// The format, in any kind of tag.
    public static let commonIdentifierFormat = AVMetadataIdentifier(rawValue: "comn/format")
    /// What identifies it, in any kind of tag.
    public static let commonIdentifierAssetIdentifier = AVMetadataIdentifier(rawValue: "comn/identifier")
    /// Where it comes from, in any kind of tag.
    public static let commonIdentifierSource = AVMetadataIdentifier(rawValue: "comn/source")
    /// The language, in any kind of tag.
    public static let commonIdentifierLanguage = AVMetadataIdentifier(rawValue: "comn/language")
    /// What it belongs to, in any kind of tag.
    public static let commonIdentifierRelation = AVMetadataIdentifier(rawValue: "comn/relation")
    /// Where it was made, in any kind of tag.
    public static let commonIdentifierLocation = AVMetadataIdentifier(rawValue: "comn/location")
    /// The copyright notice, in any kind of tag.
    public static let commonIdentifierCopyrights = AVMetadataIdentifier(rawValue: "comn/copyrights")
    /// The name of the album, in any kind of tag.
    public static let commonIdentifierAlbumName = AVMetadataIdentifier(rawValue: "comn/albumName")
    /// The author, in any kind of tag.
    public static let commonIdentifierAuthor = AVMetadataIdentifier(rawValue: "comn/author")
    /// The artist, in any kind of tag.
    public static let commonIdentifierArtist = AVMetadataIdentifier(rawValue: "comn/artist")
    /// The picture, in any kind of tag.
    public static let commonIdentifierArtwork = AVMetadataIdentifier(rawValue: "comn/artwork")
    /// The maker of the device that recorded it, in any kind of tag.
    public static let commonIdentifierMake = AVMetadataIdentifier(rawValue: "comn/make")
    /// The device that recorded it, in any kind of tag.
    public static let commonIdentifierModel = AVMetadataIdentifier(rawValue: "comn/model")
    /// The program that made the file, in any kind of tag.
    public static let commonIdentifierSoftware = AVMetadataIdentifier(rawValue: "comn/software")
    /// A description for those who cannot hear it, in any kind of tag.
    public static let commonIdentifierAccessibilityDescription = AVMetadataIdentifier(
        rawValue: "comn/accessibilityDescription")
    /// What a radio station says that it plays: often the artist, a dash and the title.
    public static let icyMetadataStreamTitle = AVMetadataIdentifier(rawValue: "icy/StreamTitle")
    /// The address that a radio station sends; it is not read.
    public static let icyMetadataStreamURL = AVMetadataIdentifier(rawValue: "icy/StreamUrl")
}

// MARK: ID3

extension AVMetadataIdentifier {
    /// `AENC`: audio encryption.
    public static let id3MetadataAudioEncryption = AVMetadataIdentifier(rawValue: "id3/AENC")
    /// `APIC`: attached picture.
    public static let id3MetadataAttachedPicture = AVMetadataIdentifier(rawValue: "id3/APIC")
    /// `ASPI`: audio seek point index.
    public static let id3MetadataAudioSeekPointIndex = AVMetadataIdentifier(rawValue: "id3/ASPI")
    /// `COMM`: comments.
    public static let id3MetadataComments = AVMetadataIdentifier(rawValue: "id3/COMM")
    /// `COMR`: commercial.
    public static let id3MetadataCommercial = AVMetadataIdentifier(rawValue: "id3/COMR")
    /// `ENCR`: encryption.
    public static let id3MetadataEncryption = AVMetadataIdentifier(rawValue: "id3/ENCR")
    /// `EQUA`: equalization.
    public static let id3MetadataEqualization = AVMetadataIdentifier(rawValue: "id3/EQUA")
    /// `EQU2`: equalization2.
    public static let id3MetadataEqualization2 = AVMetadataIdentifier(rawValue: "id3/EQU2")
    /// `ETCO`: event timing codes.
    public static let id3MetadataEventTimingCodes = AVMetadataIdentifier(rawValue: "id3/ETCO")
    /// `GEOB`: general encapsulated object.
    public static let id3MetadataGeneralEncapsulatedObject = AVMetadataIdentifier(rawValue: "id3/GEOB")
    /// `GRID`: group identifier.
    public static let id3MetadataGroupIdentifier = AVMetadataIdentifier(rawValue: "id3/GRID")
    /// `IPLS`: involved people list of version 3.
    public static let id3MetadataInvolvedPeopleList_v23 = AVMetadataIdentifier(rawValue: "id3/IPLS")
    /// `LINK`: link.
    public static let id3MetadataLink = AVMetadataIdentifier(rawValue: "id3/LINK")
    /// `MCDI`: music CD identifier.
    public static let id3MetadataMusicCDIdentifier = AVMetadataIdentifier(rawValue: "id3/MCDI")
    /// `MLLT`: MPEG location lookup table.
    public static let id3MetadataMPEGLocationLookupTable = AVMetadataIdentifier(rawValue: "id3/MLLT")
    /// `OWNE`: ownership.
    public static let id3MetadataOwnership = AVMetadataIdentifier(rawValue: "id3/OWNE")
    /// `PRIV`: private.
    public static let id3MetadataPrivate = AVMetadataIdentifier(rawValue: "id3/PRIV")
    /// `PCNT`: play counter.
    public static let id3MetadataPlayCounter = AVMetadataIdentifier(rawValue: "id3/PCNT")
    /// `POPM`: popularimeter.
    public static let id3MetadataPopularimeter = AVMetadataIdentifier(rawValue: "id3/POPM")
    /// `POSS`: position synchronization.
    public static let id3MetadataPositionSynchronization = AVMetadataIdentifier(rawValue: "id3/POSS")
    /// `RBUF`: recommended buffer size.
    public static let id3MetadataRecommendedBufferSize = AVMetadataIdentifier(rawValue: "id3/RBUF")
    /// `RVAD`: relative volume adjustment.
    public static let id3MetadataRelativeVolumeAdjustment = AVMetadataIdentifier(rawValue: "id3/RVAD")
    /// `RVA2`: relative volume adjustment2.
    public static let id3MetadataRelativeVolumeAdjustment2 = AVMetadataIdentifier(rawValue: "id3/RVA2")
    /// `RVRB`: reverb.
    public static let id3MetadataReverb = AVMetadataIdentifier(rawValue: "id3/RVRB")
    /// `SEEK`: seek.
    public static let id3MetadataSeek = AVMetadataIdentifier(rawValue: "id3/SEEK")
    /// `SIGN`: signature.
    public static let id3MetadataSignature = AVMetadataIdentifier(rawValue: "id3/SIGN")
    /// `SYLT`: synchronized lyric.
    public static let id3MetadataSynchronizedLyric = AVMetadataIdentifier(rawValue: "id3/SYLT")
    /// `SYTC`: synchronized tempo codes.
    public static let id3MetadataSynchronizedTempoCodes = AVMetadataIdentifier(rawValue: "id3/SYTC")
    /// `TALB`: album title.
    public static let id3MetadataAlbumTitle = AVMetadataIdentifier(rawValue: "id3/TALB")
    /// `TBPM`: beats per minute.
    public static let id3MetadataBeatsPerMinute = AVMetadataIdentifier(rawValue: "id3/TBPM")
    /// `TCOM`: composer.
    public static let id3MetadataComposer = AVMetadataIdentifier(rawValue: "id3/TCOM")
    /// `TCON`: content type.
    public static let id3MetadataContentType = AVMetadataIdentifier(rawValue: "id3/TCON")
    /// `TCOP`: copyright.
    public static let id3MetadataCopyright = AVMetadataIdentifier(rawValue: "id3/TCOP")
    /// `TDAT`: date.
    public static let id3MetadataDate = AVMetadataIdentifier(rawValue: "id3/TDAT")
    /// `TDEN`: encoding time.
    public static let id3MetadataEncodingTime = AVMetadataIdentifier(rawValue: "id3/TDEN")
    /// `TDLY`: playlist delay.
    public static let id3MetadataPlaylistDelay = AVMetadataIdentifier(rawValue: "id3/TDLY")
    /// `TDOR`: original release time.
    public static let id3MetadataOriginalReleaseTime = AVMetadataIdentifier(rawValue: "id3/TDOR")
    /// `TDRC`: recording time.
    public static let id3MetadataRecordingTime = AVMetadataIdentifier(rawValue: "id3/TDRC")
    /// `TDRL`: release time.
    public static let id3MetadataReleaseTime = AVMetadataIdentifier(rawValue: "id3/TDRL")
    /// `TDTG`: tagging time.
    public static let id3MetadataTaggingTime = AVMetadataIdentifier(rawValue: "id3/TDTG")
    /// `TENC`: encoded by.
    public static let id3MetadataEncodedBy = AVMetadataIdentifier(rawValue: "id3/TENC")
    /// `TEXT`: lyricist.
    public static let id3MetadataLyricist = AVMetadataIdentifier(rawValue: "id3/TEXT")
    /// `TFLT`: file type.
    public static let id3MetadataFileType = AVMetadataIdentifier(rawValue: "id3/TFLT")
    /// `TIME`: time.
    public static let id3MetadataTime = AVMetadataIdentifier(rawValue: "id3/TIME")
    /// `TIPL`: involved people list of version 4.
    public static let id3MetadataInvolvedPeopleList_v24 = AVMetadataIdentifier(rawValue: "id3/TIPL")
    /// `TIT1`: content group description.
    public static let id3MetadataContentGroupDescription = AVMetadataIdentifier(rawValue: "id3/TIT1")
    /// `TIT2`: title description.
    public static let id3MetadataTitleDescription = AVMetadataIdentifier(rawValue: "id3/TIT2")
    /// `TIT3`: sub title.
    public static let id3MetadataSubTitle = AVMetadataIdentifier(rawValue: "id3/TIT3")
    /// `TKEY`: initial key.
    public static let id3MetadataInitialKey = AVMetadataIdentifier(rawValue: "id3/TKEY")
    /// `TLAN`: language.
    public static let id3MetadataLanguage = AVMetadataIdentifier(rawValue: "id3/TLAN")
    /// `TLEN`: length.
    public static let id3MetadataLength = AVMetadataIdentifier(rawValue: "id3/TLEN")
    /// `TMCL`: musician credits list.
    public static let id3MetadataMusicianCreditsList = AVMetadataIdentifier(rawValue: "id3/TMCL")
    /// `TMED`: media type.
    public static let id3MetadataMediaType = AVMetadataIdentifier(rawValue: "id3/TMED")
    /// `TMOO`: mood.
    public static let id3MetadataMood = AVMetadataIdentifier(rawValue: "id3/TMOO")
    /// `TOAL`: original album title.
    public static let id3MetadataOriginalAlbumTitle = AVMetadataIdentifier(rawValue: "id3/TOAL")
    /// `TOFN`: original filename.
    public static let id3MetadataOriginalFilename = AVMetadataIdentifier(rawValue: "id3/TOFN")
    /// `TOLY`: original lyricist.
    public static let id3MetadataOriginalLyricist = AVMetadataIdentifier(rawValue: "id3/TOLY")
    /// `TOPE`: original artist.
    public static let id3MetadataOriginalArtist = AVMetadataIdentifier(rawValue: "id3/TOPE")
    /// `TORY`: original release year.
    public static let id3MetadataOriginalReleaseYear = AVMetadataIdentifier(rawValue: "id3/TORY")
    /// `TOWN`: file owner.
    public static let id3MetadataFileOwner = AVMetadataIdentifier(rawValue: "id3/TOWN")
    /// `TPE1`: lead performer.
    public static let id3MetadataLeadPerformer = AVMetadataIdentifier(rawValue: "id3/TPE1")
    /// `TPE2`: band.
    public static let id3MetadataBand = AVMetadataIdentifier(rawValue: "id3/TPE2")
    /// `TPE3`: conductor.
    public static let id3MetadataConductor = AVMetadataIdentifier(rawValue: "id3/TPE3")
    /// `TPE4`: modified by.
    public static let id3MetadataModifiedBy = AVMetadataIdentifier(rawValue: "id3/TPE4")
    /// `TPOS`: part of a set.
    public static let id3MetadataPartOfASet = AVMetadataIdentifier(rawValue: "id3/TPOS")
    /// `TPRO`: produced notice.
    public static let id3MetadataProducedNotice = AVMetadataIdentifier(rawValue: "id3/TPRO")
    /// `TPUB`: publisher.
    public static let id3MetadataPublisher = AVMetadataIdentifier(rawValue: "id3/TPUB")
    /// `TRCK`: track number.
    public static let id3MetadataTrackNumber = AVMetadataIdentifier(rawValue: "id3/TRCK")
    /// `TRDA`: recording dates.
    public static let id3MetadataRecordingDates = AVMetadataIdentifier(rawValue: "id3/TRDA")
    /// `TRSN`: internet radio station name.
    public static let id3MetadataInternetRadioStationName = AVMetadataIdentifier(rawValue: "id3/TRSN")
    /// `TRSO`: internet radio station owner.
    public static let id3MetadataInternetRadioStationOwner = AVMetadataIdentifier(rawValue: "id3/TRSO")
    /// `TSIZ`: size.
    public static let id3MetadataSize = AVMetadataIdentifier(rawValue: "id3/TSIZ")
    /// `TSOA`: album sort order.
    public static let id3MetadataAlbumSortOrder = AVMetadataIdentifier(rawValue: "id3/TSOA")
    /// `TSOP`: performer sort order.
    public static let id3MetadataPerformerSortOrder = AVMetadataIdentifier(rawValue: "id3/TSOP")
    /// `TSOT`: title sort order.
    public static let id3MetadataTitleSortOrder = AVMetadataIdentifier(rawValue: "id3/TSOT")
    /// `TSRC`: international standard recording code.
    public static let id3MetadataInternationalStandardRecordingCode = AVMetadataIdentifier(rawValue: "id3/TSRC")
    /// `TSSE`: encoded with.
    public static let id3MetadataEncodedWith = AVMetadataIdentifier(rawValue: "id3/TSSE")
    /// `TSST`: set subtitle.
    public static let id3MetadataSetSubtitle = AVMetadataIdentifier(rawValue: "id3/TSST")
    /// `TYER`: year.
    public static let id3MetadataYear = AVMetadataIdentifier(rawValue: "id3/TYER")
    /// `TXXX`: user text.
    public static let id3MetadataUserText = AVMetadataIdentifier(rawValue: "id3/TXXX")
    /// `UFID`: unique file identifier.
    public static let id3MetadataUniqueFileIdentifier = AVMetadataIdentifier(rawValue: "id3/UFID")
    /// `USER`: terms of use.
    public static let id3MetadataTermsOfUse = AVMetadataIdentifier(rawValue: "id3/USER")
    /// `USLT`: unsynchronized lyric.
    public static let id3MetadataUnsynchronizedLyric = AVMetadataIdentifier(rawValue: "id3/USLT")
    /// `WCOM`: commercial information.
    public static let id3MetadataCommercialInformation = AVMetadataIdentifier(rawValue: "id3/WCOM")
    /// `WCOP`: copyright information.
    public static let id3MetadataCopyrightInformation = AVMetadataIdentifier(rawValue: "id3/WCOP")
    /// `WOAF`: official audio file webpage.
    public static let id3MetadataOfficialAudioFileWebpage = AVMetadataIdentifier(rawValue: "id3/WOAF")
    /// `WOAR`: official artist webpage.
    public static let id3MetadataOfficialArtistWebpage = AVMetadataIdentifier(rawValue: "id3/WOAR")
    /// `WOAS`: official audio source webpage.
    public static let id3MetadataOfficialAudioSourceWebpage = AVMetadataIdentifier(rawValue: "id3/WOAS")
    /// `WORS`: official internet radio station homepage.
    public static let id3MetadataOfficialInternetRadioStationHomepage = AVMetadataIdentifier(rawValue: "id3/WORS")
    /// `WPAY`: payment.
    public static let id3MetadataPayment = AVMetadataIdentifier(rawValue: "id3/WPAY")
    /// `WPUB`: official publisher webpage.
    public static let id3MetadataOfficialPublisherWebpage = AVMetadataIdentifier(rawValue: "id3/WPUB")
    /// `WXXX`: user URL.
    public static let id3MetadataUserURL = AVMetadataIdentifier(rawValue: "id3/WXXX")
}

// MARK: iTunes

extension AVMetadataIdentifier {
    /// `©alb`: album.
    public static let iTunesMetadataAlbum = AVMetadataIdentifier(rawValue: "itsk/%A9alb")
    /// `©ART`: artist.
    public static let iTunesMetadataArtist = AVMetadataIdentifier(rawValue: "itsk/%A9ART")
    /// `©cmt`: user comment.
    public static let iTunesMetadataUserComment = AVMetadataIdentifier(rawValue: "itsk/%A9cmt")
    /// `covr`: cover art.
    public static let iTunesMetadataCoverArt = AVMetadataIdentifier(rawValue: "itsk/covr")
    /// `cprt`: copyright.
    public static let iTunesMetadataCopyright = AVMetadataIdentifier(rawValue: "itsk/cprt")
    /// `©day`: release date.
    public static let iTunesMetadataReleaseDate = AVMetadataIdentifier(rawValue: "itsk/%A9day")
    /// `©enc`: encoded by.
    public static let iTunesMetadataEncodedBy = AVMetadataIdentifier(rawValue: "itsk/%A9enc")
    /// `gnre`: predefined genre.
    public static let iTunesMetadataPredefinedGenre = AVMetadataIdentifier(rawValue: "itsk/gnre")
    /// `©gen`: user genre.
    public static let iTunesMetadataUserGenre = AVMetadataIdentifier(rawValue: "itsk/%A9gen")
    /// `©nam`: song name.
    public static let iTunesMetadataSongName = AVMetadataIdentifier(rawValue: "itsk/%A9nam")
    /// `©st3`: track sub title.
    public static let iTunesMetadataTrackSubTitle = AVMetadataIdentifier(rawValue: "itsk/%A9st3")
    /// `©too`: encoding tool.
    public static let iTunesMetadataEncodingTool = AVMetadataIdentifier(rawValue: "itsk/%A9too")
    /// `©wrt`: composer.
    public static let iTunesMetadataComposer = AVMetadataIdentifier(rawValue: "itsk/%A9wrt")
    /// `aART`: album artist.
    public static let iTunesMetadataAlbumArtist = AVMetadataIdentifier(rawValue: "itsk/aART")
    /// `akID`: account kind.
    public static let iTunesMetadataAccountKind = AVMetadataIdentifier(rawValue: "itsk/akID")
    /// `apID`: apple ID.
    public static let iTunesMetadataAppleID = AVMetadataIdentifier(rawValue: "itsk/apID")
    /// `atID`: artist ID.
    public static let iTunesMetadataArtistID = AVMetadataIdentifier(rawValue: "itsk/atID")
    /// `cnID`: song ID.
    public static let iTunesMetadataSongID = AVMetadataIdentifier(rawValue: "itsk/cnID")
    /// `cpil`: disc compilation.
    public static let iTunesMetadataDiscCompilation = AVMetadataIdentifier(rawValue: "itsk/cpil")
    /// `disk`: disc number.
    public static let iTunesMetadataDiscNumber = AVMetadataIdentifier(rawValue: "itsk/disk")
    /// `geID`: genre ID.
    public static let iTunesMetadataGenreID = AVMetadataIdentifier(rawValue: "itsk/geID")
    /// `grup`: grouping.
    public static let iTunesMetadataGrouping = AVMetadataIdentifier(rawValue: "itsk/grup")
    /// `plID`: playlist ID.
    public static let iTunesMetadataPlaylistID = AVMetadataIdentifier(rawValue: "itsk/plID")
    /// `rtng`: content rating.
    public static let iTunesMetadataContentRating = AVMetadataIdentifier(rawValue: "itsk/rtng")
    /// `tmpo`: beats per min.
    public static let iTunesMetadataBeatsPerMin = AVMetadataIdentifier(rawValue: "itsk/tmpo")
    /// `trkn`: track number.
    public static let iTunesMetadataTrackNumber = AVMetadataIdentifier(rawValue: "itsk/trkn")
    /// `©ard`: art director.
    public static let iTunesMetadataArtDirector = AVMetadataIdentifier(rawValue: "itsk/%A9ard")
    /// `©arg`: arranger.
    public static let iTunesMetadataArranger = AVMetadataIdentifier(rawValue: "itsk/%A9arg")
    /// `©aut`: author.
    public static let iTunesMetadataAuthor = AVMetadataIdentifier(rawValue: "itsk/%A9aut")
    /// `©lyr`: lyrics.
    public static let iTunesMetadataLyrics = AVMetadataIdentifier(rawValue: "itsk/%A9lyr")
    /// `©cak`: acknowledgement.
    public static let iTunesMetadataAcknowledgement = AVMetadataIdentifier(rawValue: "itsk/%A9cak")
    /// `©con`: conductor.
    public static let iTunesMetadataConductor = AVMetadataIdentifier(rawValue: "itsk/%A9con")
    /// `©des`: description.
    public static let iTunesMetadataDescription = AVMetadataIdentifier(rawValue: "itsk/%A9des")
    /// `©dir`: director.
    public static let iTunesMetadataDirector = AVMetadataIdentifier(rawValue: "itsk/%A9dir")
    /// `©equ`: EQ.
    public static let iTunesMetadataEQ = AVMetadataIdentifier(rawValue: "itsk/%A9equ")
    /// `©lnt`: liner notes.
    public static let iTunesMetadataLinerNotes = AVMetadataIdentifier(rawValue: "itsk/%A9lnt")
    /// `©mak`: record company.
    public static let iTunesMetadataRecordCompany = AVMetadataIdentifier(rawValue: "itsk/%A9mak")
    /// `©ope`: original artist.
    public static let iTunesMetadataOriginalArtist = AVMetadataIdentifier(rawValue: "itsk/%A9ope")
    /// `©phg`: phonogram rights.
    public static let iTunesMetadataPhonogramRights = AVMetadataIdentifier(rawValue: "itsk/%A9phg")
    /// `©prd`: producer.
    public static let iTunesMetadataProducer = AVMetadataIdentifier(rawValue: "itsk/%A9prd")
    /// `©prf`: performer.
    public static let iTunesMetadataPerformer = AVMetadataIdentifier(rawValue: "itsk/%A9prf")
    /// `©pub`: publisher.
    public static let iTunesMetadataPublisher = AVMetadataIdentifier(rawValue: "itsk/%A9pub")
    /// `©sne`: sound engineer.
    public static let iTunesMetadataSoundEngineer = AVMetadataIdentifier(rawValue: "itsk/%A9sne")
    /// `©sol`: soloist.
    public static let iTunesMetadataSoloist = AVMetadataIdentifier(rawValue: "itsk/%A9sol")
    /// `©src`: credits.
    public static let iTunesMetadataCredits = AVMetadataIdentifier(rawValue: "itsk/%A9src")
    /// `©thx`: thanks.
    public static let iTunesMetadataThanks = AVMetadataIdentifier(rawValue: "itsk/%A9thx")
    /// `©url`: online extras.
    public static let iTunesMetadataOnlineExtras = AVMetadataIdentifier(rawValue: "itsk/%A9url")
    /// `©xpd`: exec producer.
    public static let iTunesMetadataExecProducer = AVMetadataIdentifier(rawValue: "itsk/%A9xpd")
}

// MARK: QuickTime

extension AVMetadataIdentifier {
    /// `author`: author.
    public static let quickTimeMetadataAuthor = AVMetadataIdentifier(rawValue: "mdta/com.apple.quicktime.author")
    /// `comment`: comment.
    public static let quickTimeMetadataComment = AVMetadataIdentifier(rawValue: "mdta/com.apple.quicktime.comment")
    /// `copyright`: copyright.
    public static let quickTimeMetadataCopyright = AVMetadataIdentifier(rawValue: "mdta/com.apple.quicktime.copyright")
    /// `creationdate`: creation date.
    public static let quickTimeMetadataCreationDate = AVMetadataIdentifier(
        rawValue: "mdta/com.apple.quicktime.creationdate")
    /// `director`: director.
    public static let quickTimeMetadataDirector = AVMetadataIdentifier(rawValue: "mdta/com.apple.quicktime.director")
    /// `displayname`: display name.
    public static let quickTimeMetadataDisplayName = AVMetadataIdentifier(
        rawValue: "mdta/com.apple.quicktime.displayname")
    /// `information`: information.
    public static let quickTimeMetadataInformation = AVMetadataIdentifier(
        rawValue: "mdta/com.apple.quicktime.information")
    /// `keywords`: keywords.
    public static let quickTimeMetadataKeywords = AVMetadataIdentifier(rawValue: "mdta/com.apple.quicktime.keywords")
    /// `performer`: performer.
    public static let quickTimeMetadataPerformer = AVMetadataIdentifier(rawValue: "mdta/com.apple.quicktime.performer")
    /// `producer`: producer.
    public static let quickTimeMetadataProducer = AVMetadataIdentifier(rawValue: "mdta/com.apple.quicktime.producer")
    /// `publisher`: publisher.
    public static let quickTimeMetadataPublisher = AVMetadataIdentifier(rawValue: "mdta/com.apple.quicktime.publisher")
    /// `album`: album.
    public static let quickTimeMetadataAlbum = AVMetadataIdentifier(rawValue: "mdta/com.apple.quicktime.album")
    /// `artist`: artist.
    public static let quickTimeMetadataArtist = AVMetadataIdentifier(rawValue: "mdta/com.apple.quicktime.artist")
    /// `artwork`: artwork.
    public static let quickTimeMetadataArtwork = AVMetadataIdentifier(rawValue: "mdta/com.apple.quicktime.artwork")
    /// `description`: description.
    public static let quickTimeMetadataDescription = AVMetadataIdentifier(
        rawValue: "mdta/com.apple.quicktime.description")
    /// `software`: software.
    public static let quickTimeMetadataSoftware = AVMetadataIdentifier(rawValue: "mdta/com.apple.quicktime.software")
    /// `year`: year.
    public static let quickTimeMetadataYear = AVMetadataIdentifier(rawValue: "mdta/com.apple.quicktime.year")
    /// `iXML`: i XML.
    public static let quickTimeMetadataiXML = AVMetadataIdentifier(rawValue: "mdta/com.apple.quicktime.iXML")
    /// `location.ISO6709`: location ISO6709.
    public static let quickTimeMetadataLocationISO6709 = AVMetadataIdentifier(
        rawValue: "mdta/com.apple.quicktime.location.ISO6709")
    /// `make`: make.
    public static let quickTimeMetadataMake = AVMetadataIdentifier(rawValue: "mdta/com.apple.quicktime.make")
    /// `model`: model.
    public static let quickTimeMetadataModel = AVMetadataIdentifier(rawValue: "mdta/com.apple.quicktime.model")
    /// `genre`: genre.
    public static let quickTimeMetadataGenre = AVMetadataIdentifier(rawValue: "mdta/com.apple.quicktime.genre")
    /// `title`: title.
    public static let quickTimeMetadataTitle = AVMetadataIdentifier(rawValue: "mdta/com.apple.quicktime.title")
    /// `content.identifier`: content identifier.
    public static let quickTimeMetadataContentIdentifier = AVMetadataIdentifier(
        rawValue: "mdta/com.apple.quicktime.content.identifier")
}
