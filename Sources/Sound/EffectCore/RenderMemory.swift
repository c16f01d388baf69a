/// Blocks of memory that a part of the renderer, or a processor, points to; all of them go together.
///
/// What is in them needs no end of its own. Its owner says which thread uses what, and when none does any more.
package final class RenderMemory {
    private var blocks: [UnsafeMutableRawPointer] = []

    package init() {}

    deinit { for block in blocks { block.deallocate() } }

    /// Not written to: pages of a long buffer come into being as they are used.
    package func room<Element: ~Copyable>(_ count: Int = 1) -> UnsafeMutablePointer<Element> {
        let block = UnsafeMutablePointer<Element>.allocate(capacity: max(1, count))
        blocks.append(UnsafeMutableRawPointer(block))
        return block
    }

    package func block<Element: ~Copyable>(of value: consuming Element) -> UnsafeMutablePointer<Element> {
        let block: UnsafeMutablePointer<Element> = room()
        block.initialize(to: value)
        return block
    }

    package func silence(_ samples: Int) -> UnsafeMutablePointer<Float> {
        let block: UnsafeMutablePointer<Float> = room(samples)
        block.initialize(repeating: 0, count: samples)
        return block
    }

    package func copy<Element>(_ elements: [Element]) -> UnsafePointer<Element> {
        let block: UnsafeMutablePointer<Element> = room(elements.count)
        for (index, element) in elements.enumerated() { (block + index).initialize(to: element) }
        return UnsafePointer(block)
    }
}
