extension Int {
    /// The smallest power of two that is not smaller; 1 for 1 and less.
    package var nextPowerOfTwo: Int {
        self <= 1 ? 1 : 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount)
    }
}
