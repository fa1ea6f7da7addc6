/// Why a command cannot do what was asked: what happened, and the remedy.
package struct FileFailure: Error, CustomStringConvertible {
    package var description: String

    package init(_ description: String) {
        self.description = description
    }
}
