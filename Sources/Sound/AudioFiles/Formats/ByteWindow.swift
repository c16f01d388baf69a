import CSndfile
import Threading

/// A part of a file, as libsndfile reads it: as if it were the whole.
///
/// Its owner keeps it for as long as libsndfile's handle; one thread at a time.
final class ByteWindow {
    private let file: RegularFile
    private var place: Int64 = 0
    /// The system's error of the last read that failed; 0: none did.
    private(set) var failure: Int32 = 0

    init(_ file: consuming RegularFile) { self.file = file }

    private func seek(_ offset: Int64, from whence: Int32) -> Int64 {
        let origin = whence == SEEK_CUR ? place : whence == SEEK_END ? file.byteCount : 0
        let (target, isTooFar) = origin.addingReportingOverflow(offset)
        guard !isTooFar, target >= 0 else { return -1 }
        place = target
        return target
    }

    private func read(into room: UnsafeMutableRawPointer, count: Int64) -> Int64 {
        let wanted = min(count, file.byteCount - place)
        var done: Int64 = 0
        while done < wanted {
            let got = pread(file.descriptor, room + Int(done), Int(wanted - done), off_t(file.start + place))
            if got < 0 && errno == EINTR { continue }
            if got < 0 { failure = errno }
            if got <= 0 { break }
            done += Int64(got)
            place += Int64(got)
        }
        return done
    }

    /// Each takes a window as its context, which libsndfile does not own.
    static var callbacks: SF_VIRTUAL_IO {
        SF_VIRTUAL_IO(
            get_filelen: { Unmanaged<ByteWindow>.fromOpaque($0!).takeUnretainedValue().file.byteCount },
            seek: { Unmanaged<ByteWindow>.fromOpaque($2!).takeUnretainedValue().seek($0, from: $1) },
            read: { Unmanaged<ByteWindow>.fromOpaque($2!).takeUnretainedValue().read(into: $0!, count: $1) },
            write: { _, _, _ in 0 },
            tell: { Unmanaged<ByteWindow>.fromOpaque($0!).takeUnretainedValue().place })
    }
}
