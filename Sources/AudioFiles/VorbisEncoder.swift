import CVorbis
import Glibc

/// Writes Ogg Vorbis by libvorbis, a page each 300 ms.
///
/// libsndfile, which uses the same encoder, writes a page when it is full: after 5.4 s of silence. What is not in a page is
/// lost when the process is killed.
///
/// One thread at a time; writing waits for the disk.
final class VorbisEncoder: SoundEncoder {
    private let descriptor: Int32
    private let channelCount: Int
    private let framesPerPage: Int64
    private let library = Library()
    /// The position, in frames, at the end of the last page.
    private var pageStart: Int64 = 0
    private var hasFailed = false

    /// What libvorbis and libogg keep by its address.
    private final class Library {
        let info = zeroed(vorbis_info())
        let comment = zeroed(vorbis_comment())
        let state = zeroed(vorbis_dsp_state())
        let block = zeroed(vorbis_block())
        let stream = zeroed(ogg_stream_state())

        init() {
            vorbis_info_init(info)
            vorbis_comment_init(comment)
        }

        deinit {
            ogg_stream_clear(stream)
            vorbis_block_clear(block)
            vorbis_dsp_clear(state)
            vorbis_comment_clear(comment)
            vorbis_info_clear(info)
            stream.deallocate()
            block.deallocate()
            state.deallocate()
            comment.deallocate()
            info.deallocate()
        }

        private static func zeroed<Value>(_ value: Value) -> UnsafeMutablePointer<Value> {
            let pointer = UnsafeMutablePointer<Value>.allocate(capacity: 1)
            pointer.initialize(to: value)
            return pointer
        }
    }

    /// - Parameters:
    ///   - descriptor: of the file; stays the caller's.
    ///   - quality: 0...1.
    init(
        descriptor: Int32, sampleRate: Int, channelCount: Int, quality: Double?, title: String?, artist: String?
    ) throws(EncoderRefusal) {
        self.descriptor = descriptor
        self.channelCount = channelCount
        framesPerPage = Int64(sampleRate) * 3 / 10
        // 0.4 is the default of libsndfile, and about 130 kb/s for stereo at 48 kHz.
        let amount = Float(min(max(quality ?? 0.4, 0), 1))
        guard vorbis_encode_init_vbr(library.info, channelCount, sampleRate, amount) == 0 else {
            throw EncoderRefusal(words: "its encoder does not take \(channelCount) channels at \(sampleRate) Hz")
        }
        if let title { vorbis_comment_add_tag(library.comment, "TITLE", title) }
        if let artist { vorbis_comment_add_tag(library.comment, "ARTIST", artist) }
        vorbis_analysis_init(library.state, library.info)
        vorbis_block_init(library.state, library.block)
        ogg_stream_init(library.stream, Int32.random(in: 0...Int32.max))
        var headers = (ogg_packet(), ogg_packet(), ogg_packet())
        vorbis_analysis_headerout(library.state, library.comment, &headers.0, &headers.1, &headers.2)
        ogg_stream_packetin(library.stream, &headers.0)
        ogg_stream_packetin(library.stream, &headers.1)
        ogg_stream_packetin(library.stream, &headers.2)
        // The sound begins with a page of its own.
        guard writePages(ogg_stream_flush) else { throw EncoderRefusal(words: "the header cannot be written") }
    }

    func write(_ samples: UnsafeBufferPointer<Float>) -> Bool { write(samples) { $0 } }

    func write(_ samples: UnsafeBufferPointer<Double>) -> Bool { write(samples) { Float($0) } }

    private func write<Sample: BinaryFloatingPoint>(
        _ samples: UnsafeBufferPointer<Sample>, _ value: (Sample) -> Float
    ) -> Bool {
        var rest = samples[...]
        while !rest.isEmpty, !hasFailed {
            // libvorbis keeps room for as much as it was ever given at once.
            let part = rest.prefix(Self.framesAtOnce * channelCount)
            rest = rest.dropFirst(part.count)
            let frames = part.count / channelCount
            guard let room = vorbis_analysis_buffer(library.state, Int32(frames)) else { return fail() }
            for channel in 0..<channelCount {
                guard let output = room[channel] else { return fail() }
                for frame in 0..<frames {
                    let sample = value(part[part.startIndex + frame * channelCount + channel])
                    // One NaN would silence the rest.
                    output[frame] = sample.isFinite ? sample : 0
                }
            }
            vorbis_analysis_wrote(library.state, Int32(frames))
            if !encode() { return fail() }
        }
        return !hasFailed
    }

    private static let framesAtOnce = 4096

    func close() -> Bool {
        guard !hasFailed else { return false }
        // No frames are the end.
        vorbis_analysis_wrote(library.state, 0)
        return encode() && writePages(ogg_stream_flush)
    }

    private func fail() -> Bool {
        hasFailed = true
        return false
    }

    /// Encodes what libvorbis has enough of.
    private func encode() -> Bool {
        var packet = ogg_packet()
        while vorbis_analysis_blockout(library.state, library.block) == 1 {
            vorbis_analysis(library.block, nil)
            vorbis_bitrate_addblock(library.block)
            while vorbis_bitrate_flushpacket(library.state, &packet) != 0 {
                ogg_stream_packetin(library.stream, &packet)
                let isDue = packet.granulepos - pageStart >= framesPerPage
                guard writePages(isDue ? ogg_stream_flush : ogg_stream_pageout) else { return false }
            }
        }
        return true
    }

    /// Writes the pages that one of libogg's functions gives.
    private func writePages(
        _ next: (UnsafeMutablePointer<ogg_stream_state>, UnsafeMutablePointer<ogg_page>) -> Int32
    ) -> Bool {
        var page = ogg_page()
        while next(library.stream, &page) != 0 {
            guard write(page.header, page.header_len), write(page.body, page.body_len) else { return false }
            // -1: no packet ends on it.
            pageStart = max(pageStart, ogg_page_granulepos(&page))
        }
        return true
    }

    private func write(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Bool {
        var done = 0
        while done < count, let bytes {
            let wrote = Glibc.write(descriptor, bytes + done, count - done)
            if wrote < 0 && errno == EINTR { continue }
            guard wrote > 0 else { return false }
            done += wrote
        }
        return true
    }
}
