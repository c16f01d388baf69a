// The names of facts in MPEG-4 and QuickTime files.
//
// Source: SDK header AVMetadataIdentifiers.h of AVFoundation.

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
    public static let quickTimeMetadataAuthor = AVMetadataIdentifier(quickTime: "author")
    /// `comment`: comment.
    public static let quickTimeMetadataComment = AVMetadataIdentifier(quickTime: "comment")
    /// `copyright`: copyright.
    public static let quickTimeMetadataCopyright = AVMetadataIdentifier(quickTime: "copyright")
    /// `creationdate`: creation date.
    public static let quickTimeMetadataCreationDate = AVMetadataIdentifier(quickTime: "creationdate")
    /// `director`: director.
    public static let quickTimeMetadataDirector = AVMetadataIdentifier(quickTime: "director")
    /// `displayname`: display name.
    public static let quickTimeMetadataDisplayName = AVMetadataIdentifier(quickTime: "displayname")
    /// `information`: information.
    public static let quickTimeMetadataInformation = AVMetadataIdentifier(quickTime: "information")
    /// `keywords`: keywords.
    public static let quickTimeMetadataKeywords = AVMetadataIdentifier(quickTime: "keywords")
    /// `performer`: performer.
    public static let quickTimeMetadataPerformer = AVMetadataIdentifier(quickTime: "performer")
    /// `producer`: producer.
    public static let quickTimeMetadataProducer = AVMetadataIdentifier(quickTime: "producer")
    /// `publisher`: publisher.
    public static let quickTimeMetadataPublisher = AVMetadataIdentifier(quickTime: "publisher")
    /// `album`: album.
    public static let quickTimeMetadataAlbum = AVMetadataIdentifier(quickTime: "album")
    /// `artist`: artist.
    public static let quickTimeMetadataArtist = AVMetadataIdentifier(quickTime: "artist")
    /// `artwork`: artwork.
    public static let quickTimeMetadataArtwork = AVMetadataIdentifier(quickTime: "artwork")
    /// `description`: description.
    public static let quickTimeMetadataDescription = AVMetadataIdentifier(quickTime: "description")
    /// `software`: software.
    public static let quickTimeMetadataSoftware = AVMetadataIdentifier(quickTime: "software")
    /// `year`: year.
    public static let quickTimeMetadataYear = AVMetadataIdentifier(quickTime: "year")
    /// `iXML`: i XML.
    public static let quickTimeMetadataiXML = AVMetadataIdentifier(quickTime: "iXML")
    /// `location.ISO6709`: location ISO6709.
    public static let quickTimeMetadataLocationISO6709 = AVMetadataIdentifier(quickTime: "location.ISO6709")
    /// `make`: make.
    public static let quickTimeMetadataMake = AVMetadataIdentifier(quickTime: "make")
    /// `model`: model.
    public static let quickTimeMetadataModel = AVMetadataIdentifier(quickTime: "model")
    /// `genre`: genre.
    public static let quickTimeMetadataGenre = AVMetadataIdentifier(quickTime: "genre")
    /// `title`: title.
    public static let quickTimeMetadataTitle = AVMetadataIdentifier(quickTime: "title")
    /// `content.identifier`: content identifier.
    public static let quickTimeMetadataContentIdentifier = AVMetadataIdentifier(quickTime: "content.identifier")
}
