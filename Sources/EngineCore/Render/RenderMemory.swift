/// Blocks of memory that a part of the renderer points to; all of them go together.
///
/// What is in them needs no end of its own. Its owner says which thread uses what, and when none does any more.
final class RenderMemory {
    private var blocks: [UnsafeMutableRawPointer] = []

    deinit { for block in blocks { block.deallocate() } }

    /// Not written to: pages of a long buffer come into being as they are used.
    func room<Element: ~Copyable>(_ count: Int = 1) -> UnsafeMutablePointer<Element> {
        let block = UnsafeMutablePointer<Element>.allocate(capacity: max(1, count))
        blocks.append(UnsafeMutableRawPointer(block))
        return block
    }

    func block<Element: ~Copyable>(of value: consuming Element) -> UnsafeMutablePointer<Element> {
        let block: UnsafeMutablePointer<Element> = room()
        block.initialize(to: value)
        return block
    }

    func silence(_ samples: Int) -> UnsafeMutablePointer<Float> {
        let block: UnsafeMutablePointer<Float> = room(samples)
        block.initialize(repeating: 0, count: samples)
        return block
    }

    func copy<Element>(_ elements: [Element]) -> UnsafePointer<Element> {
        let block: UnsafeMutablePointer<Element> = room(elements.count)
        for (index, element) in elements.enumerated() { (block + index).initialize(to: element) }
        return UnsafePointer(block)
    }
}
