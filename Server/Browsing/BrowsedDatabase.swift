package import CausewayAdmin

/// Where objects are looked at: a database of a server, or a file.
package protocol BrowsedDatabase: Sendable {
    var searches: Searches { get }
    var searchBounds: ObjectSearch.Bounds { get }

    /// Does something where pieces of work take turns.
    func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value

    /// The newest version. Called within a piece.
    func state() throws(AdminError) -> BrowsedState
}

/// The databases whose objects can be looked at.
package protocol BrowsedPlace: Sendable {
    /// Works with a database, which stays open meanwhile.
    ///
    /// - Throws: `databaseUnknown` where there is none of the name.
    func use<Value: Sendable>(
        _ name: String, _ body: (any BrowsedDatabase) async throws(AdminError) -> Value
    ) async throws(AdminError) -> Value
}

extension BrowsedDatabase {
    /// Does a piece of work that others wait for.
    ///
    /// - Parameter body: is told how to find out that it is time to give way: then it ends, and what is left is another piece.
    package func piece<Value: Sendable>(
        _ body: @escaping @Sendable (_ isOver: () -> Bool) throws(AdminError) -> Value
    ) async throws(AdminError) -> Value {
        let result = await run {
            let end = ContinuousClock.now + .milliseconds(pieceMilliseconds)
            return Result { () throws(AdminError) in try body { ContinuousClock.now >= end } }
        }
        return try result.get()
    }

    /// Looks at the newest version, in one piece of work that is short.
    package func look<Value: Sendable>(
        _ body: @escaping @Sendable (BrowsedState) throws(AdminError) -> Value
    ) async throws(AdminError) -> Value {
        try await piece { _ throws(AdminError) in try body(state()) }
    }
}

/// A piece of work gives way to the next one after this time.
private let pieceMilliseconds = 20
