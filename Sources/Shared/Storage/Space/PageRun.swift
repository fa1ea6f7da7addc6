/// Consecutive pages.
struct PageRun: Hashable, Sendable {
    var page: UInt32
    var count: UInt32

    var end: UInt32 { page + count }
}

/// Pages that belong to the states from `birth` up to, not including, `freed`, and to no others.
struct WaitingRun: Hashable, Sendable {
    var run: PageRun
    var birth: UInt64
    var freed: UInt64
}
