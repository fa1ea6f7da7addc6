import Glibc

/// The memory in which a commit fills its pages. It is kept between commits, because asking the system for it each time
/// costs more than filling a page.
final class PageMemory {
    private static let pagesPerBlock = 16

    /// Empty until the first page is taken.
    private var blocks: [UnsafeMutableRawPointer] = []
    @exclusivity(unchecked) private var idlePages: [UnsafeMutableRawPointer] = []

    deinit {
        for block in blocks { block.deallocate() }
    }

    /// A zeroed page.
    func takePage() -> UnsafeMutableRawPointer {
        if idlePages.isEmpty { grow() }
        let page = idlePages.removeLast()
        memset(page, 0, Pages.sizeBytes)
        return page
    }

    /// Takes back a page that is written, to be filled again.
    func giveBack(_ page: UnsafeMutableRawPointer) {
        idlePages.append(page)
    }

    /// Takes back all pages. Frees memory that only a large commit needed.
    func reset() {
        while blocks.count > 1 { blocks.removeLast().deallocate() }
        idlePages.removeAll(keepingCapacity: true)
        if let block = blocks.first { addPages(of: block) }
    }

    private func grow() {
        let block = UnsafeMutableRawPointer.allocate(
            byteCount: Self.pagesPerBlock * Pages.sizeBytes, alignment: Pages.sizeBytes)
        blocks.append(block)
        addPages(of: block)
    }

    private func addPages(of block: UnsafeMutableRawPointer) {
        for place in (0..<Self.pagesPerBlock).reversed() { idlePages.append(block + place * Pages.sizeBytes) }
    }
}
