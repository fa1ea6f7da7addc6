/// Checks whether all pages of a header's state that were born after a transaction are sound.
///
/// Nothing below a page is younger than the page, so an older page is skipped with everything below it.
struct ProofWalk {
    private let space: PageSpace
    private let after: UInt64

    private let skipsRuns: Bool

    init(_ space: PageSpace, after transaction: UInt64, skipsRuns: Bool) {
        self.space = space
        after = transaction
        self.skipsRuns = skipsRuns
    }

    func isWhole(_ header: FileHeader) -> Bool {
        isRunWhole(header.sessions) && header.freeSpace.segments.allSatisfy(isRunWhole)
            && areTreesWhole(header.state.trees) && isDirectoryWhole(header.state.directory)
    }

    private func isYoung(_ pointer: PagePointer) -> Bool { !pointer.isNone && pointer.birth > after }

    private func isRunWhole(_ pointer: PagePointer) -> Bool {
        !isYoung(pointer) || skipsRuns || space.isRunSound(pointer)
    }

    private func areTreesWhole(_ root: PagePointer) -> Bool {
        var isWhole = true
        TreeReader(space: space, root: root).walk(lettingGo: true) { visit in
            switch visit {
            case .node(let pointer, _): return isWhole && isYoung(pointer)
            case .valueRun(let pointer, _, _): isWhole = isWhole && isRunWhole(pointer)
            case .unreadable, .contradiction: isWhole = false
            case .keyRun: break
            }
            return isWhole
        }
        return isWhole
    }

    private func isDirectoryWhole(_ root: PagePointer) -> Bool {
        guard isYoung(root) else { return true }
        var isWhole = true
        LeafDirectory(space: space, root: root).walk { visit in
            switch visit {
            case .node(let pointer, _): return isWhole && isYoung(pointer)
            case .leaf(_, let pointer): isWhole = isWhole && isRunWhole(pointer)
            case .unsound: isWhole = false
            }
            return isWhole
        }
        return isWhole
    }
}
