internal import AudioFiles
internal import AudioModel
import CLibav
import CLibavMedia

/// A sound that comes from elsewhere than a file, and that FFmpeg's libraries decode.
///
/// One thread at a time; waits for the source.
struct OpenedStream {
    let sound: LibavFile
    let source: SoundSource
    let reach: StreamBuffer.Reach

    /// - Parameters:
    ///   - address: http or https.
    ///   - cancellation: of all waits.
    /// - Throws: `notFound`, `notReadable`, `unreachable`, `cancelled` or `notAudio`; the message names the missing package
    ///   where FFmpeg is not there.
    init(
        address: String, trust: ServerTrust, limits: ServerLimits, cancellation: Cancellation
    ) throws(AudioFileError) {
        let name = address.withoutAddressPassword
        try self.init(named: name, limits: limits) { () throws(AudioFileError) in
            do throws(ServerFault) {
                guard let address = HTTPAddress(address) else { throw .notAnAddress }
                return try ServerSound(address, trust: trust, limits: limits, cancellation: cancellation)
            } catch {
                throw error.error(address: name)
            }
        }
    }

    /// - Parameters:
    ///   - name: what messages call it.
    ///   - makeSource: called where FFmpeg is there.
    /// - Throws: as `init(address:trust:limits:cancellation:)`.
    init(
        named name: String, limits: ServerLimits = ServerLimits(),
        from makeSource: () throws(AudioFileError) -> SoundSource
    ) throws(AudioFileError) {
        var text = [CChar](repeating: 0, count: 300)
        guard oav_libav_is_available(&text, text.count) else {
            throw Self.refusal(name, OAV_DECODER_MISSING, String(characters: text))
        }
        let source = try makeSource()
        var description = oav_source(
            read: { context, offset, room, count in
                let source = Unmanaged<SoundSource>.fromOpaque(context!).takeUnretainedValue()
                return Int64(
                    source.read(at: offset, into: UnsafeMutableRawBufferPointer(start: room, count: Int(count))))
            }, context: Unmanaged.passUnretained(source).toOpaque(), size: source.size ?? -1,
            is_seekable: source.isSeekable, is_live: source.isLive, opening_limit: limits.openingBytes)
        var info = oav_decoder_info()
        var problem = OAV_DECODER_OK
        guard let decoder = oav_decoder_open_source(&description, &info, &problem, &text, text.count) else {
            if let fault = source.fault { throw fault.error(address: name) }
            throw Self.refusal(name, problem, String(characters: text))
        }
        // A decoder may take what came for a short sound.
        if let fault = source.fault {
            oav_decoder_close(decoder)
            throw fault.error(address: name)
        }
        source.endOpening()
        sound = try LibavFile(decoder, info, from: source, named: name)
        self.source = source
        reach = info.is_seekable ? .anywhere : info.is_live ? .nowhere : .forward
    }

    private static func refusal(
        _ address: String, _ problem: oav_decoder_problem, _ text: String
    ) -> AudioFileError {
        let reason = text.printable
        return switch problem {
        case OAV_DECODER_MISSING:
            AudioFileError(.notAudio, "\(address.quoted) needs FFmpeg: \(LibavFile.withRemedy(reason))")
        case OAV_DECODER_PLAYLIST:
            AudioFileError(
                .notAudio,
                "\(address.quoted) is a playlist; give an address that it names, or save it as a file and play that.")
        case OAV_DECODER_SCATTERED: ServerFault.withoutParts.error(address: address)
        case OAV_DECODER_ENDLESS:
            AudioFileError(
                .notAudio,
                "\(address.quoted) is refused: the first \(ServerLimits().openingBytes >> 20) MB that its server sent have no sound, "
                    + "only tags, pictures or tables. Download it, and play the file.")
        case OAV_DECODER_SEGMENTS:
            AudioFileError(
                .notAudio,
                "\(address.quoted) lists the segments of one sound (HLS), which cannot be played; give the address of a sound "
                    + "file, or of a station's MP3, AAC or Ogg stream.")
        case _ where ServerPlaylist.isNamed(address): refusal(address, OAV_DECODER_PLAYLIST, text)
        default:
            AudioFileError(
                .notAudio,
                "\(address.quoted) is not a sound that can be played: \(reason). Give the address of a sound file or of a "
                    + "radio station's stream, not of a page.")
        }
    }
}
