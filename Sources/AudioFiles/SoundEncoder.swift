/// An encoder that writes a sound file without libsndfile.
///
/// One thread at a time; writing waits for the disk.
protocol SoundEncoder: AnyObject {
    /// Appends whole frames.
    ///
    /// - Returns: whether all was written.
    func write(_ samples: UnsafeBufferPointer<Float>) -> Bool

    /// - Returns: whether all was written.
    func write(_ samples: UnsafeBufferPointer<Double>) -> Bool

    /// To be called once, and last.
    ///
    /// - Returns: whether the file is complete.
    func close() -> Bool
}

/// Why an encoder does not begin a file, in words: what is missing or not possible.
struct EncoderRefusal: Error {
    var words: String
}
