#if !canImport(ObjectiveC)
    internal import Glibc

    // On Apple's platforms these take nil for a pointer, such as an `AudioBuffer.mData`; those of glibc do not.

    /// As C's `memset`; nothing is written where there is no memory.
    ///
    /// Any thread, the render thread too.
    ///
    /// Source: Apple documentation, "memset(_:_:_:)" of Darwin.
    @discardableResult @_disfavoredOverload
    public func memset(_ memory: UnsafeMutableRawPointer?, _ byte: Int32, _ count: Int) -> UnsafeMutableRawPointer? {
        guard let memory else { return nil }
        return Glibc.memset(memory, byte, count)
    }

    /// As C's `memcpy`; nothing is written where one of the two is missing.
    ///
    /// Any thread, the render thread too.
    ///
    /// Source: Apple documentation, "memcpy(_:_:_:)" of Darwin.
    @discardableResult @_disfavoredOverload
    public func memcpy(
        _ memory: UnsafeMutableRawPointer?, _ source: UnsafeRawPointer?, _ count: Int
    ) -> UnsafeMutableRawPointer? {
        guard let memory, let source else { return memory }
        return Glibc.memcpy(memory, source, count)
    }
#endif
