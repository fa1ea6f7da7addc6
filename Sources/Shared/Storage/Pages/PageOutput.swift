/// Takes the finished pages of a commit, children before their parents.
protocol PageOutput: AnyObject {
    /// The space through which written pages can be read.
    var space: PageSpace { get }

    /// The transaction being committed, which every returned pointer carries.
    var birth: UInt64 { get }

    /// A zeroed page to fill and pass to ``finish(_:kind:level:extent:)``, which then owns it.
    func makePage() -> UnsafeMutableRawPointer

    /// Takes a full page of a tree or directory.
    func finish(_ page: UnsafeMutableRawPointer, kind: PageKind, level: UInt8, extent: UInt32) throws(StorageError)
        -> PagePointer

    /// Takes the bytes of a run, which must stay where they are until the commit is over.
    func add(run bytes: UnsafeRawBufferPointer) throws(StorageError) -> PagePointer

    /// Whether the output will still read the bytes of runs that it has taken.
    var needsRuns: Bool { get }

    /// Frees a page or run, which no state from this commit on contains.
    func free(_ pointer: PagePointer, kind: PageKind)
}

extension PageOutput {
    var needsRuns: Bool { true }
}
