/// Why a command cannot do what was asked: what happened, and the remedy.
package struct FileFailure: Error, CustomStringConvertible {
    package var description: String

    package init(_ description: String) {
        self.description = description
    }
}

extension FileFailure {
    /// Does an import. A failure of it says that nothing came of it.
    package static func orNothing<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let failure as FileFailure {
            throw FileFailure("\(failure.description) Nothing was imported.")
        }
    }
}
