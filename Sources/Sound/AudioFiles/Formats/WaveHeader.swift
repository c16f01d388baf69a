/// What stands before the samples in a WAV file.
package enum WaveHeader {
    package static let byteCount = 44

    /// - Parameters:
    ///   - dataBytes: of the samples that follow; more than fit count as the most.
    ///   - isFloat: 32 bits of floating point each; else 16 bits.
    package static func bytes(dataBytes: Int, channels: Int, sampleRate: Int, isFloat: Bool) -> [UInt8] {
        let frameBytes = channels * (isFloat ? 4 : 2)
        let dataSize = UInt32(clamping: dataBytes)
        var bytes = Array("RIFF".utf8)
        func add(_ value: some FixedWidthInteger) {
            withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
        }
        add(UInt32(clamping: UInt64(dataSize) + UInt64(byteCount) - 8))
        bytes += Array("WAVEfmt ".utf8)
        add(UInt32(16))
        add(UInt16(isFloat ? 3 : 1))
        add(UInt16(clamping: channels))
        add(UInt32(clamping: sampleRate))
        add(UInt32(clamping: sampleRate * frameBytes))
        add(UInt16(clamping: frameBytes))
        add(UInt16(isFloat ? 32 : 16))
        bytes += Array("data".utf8)
        add(dataSize)
        return bytes
    }
}
