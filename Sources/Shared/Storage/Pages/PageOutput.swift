/// Where a commit's finished pages go, children before their parents.
protocol PageOutput: AnyObject {
    /// Where what is already written can be read.
    var space: PageSpace { get }

    /// The transaction being committed; every pointer handed out carries it.
    var birth: UInt64 { get }

    /// A zeroed page to fill and hand to ``finish(_:kind:level:extent:)``, which then owns it.
    func makePage() -> UnsafeMutableRawPointer

    /// Takes a full page of a tree or directory.
    func finish(_ page: UnsafeMutableRawPointer, kind: PageKind, level: UInt8, extent: UInt32) throws(StorageError)
        -> PagePointer

    /// Takes the bytes of a run, which must stay where they are until the commit is over.
    func add(run bytes: UnsafeRawBufferPointer) throws(StorageError) -> PagePointer

    /// Whether runs that were taken are still to be read.
    var needsRuns: Bool { get }

    /// Notes that no state from this commit on contains the page or run.
    func free(_ pointer: PagePointer, kind: PageKind)
}

extension PageOutput {
    var needsRuns: Bool { true }
}
