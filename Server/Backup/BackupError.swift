/// Why a backup or a restore did not take place: what happened, and a sentence that names cause and remedy.
package struct BackupError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One code for each thing a caller does differently.
    package struct Code: Hashable, Sendable {
        package let name: String

        package init(_ name: String) {
            self.name = name
        }

        /// The caller gave it up: nothing is wrong.
        package static let abandoned = Code("abandoned")
        /// What was to be copied or restored is damaged, or contradicts itself.
        package static let unsound = Code("unsound")
        /// There is something where the result would go.
        package static let taken = Code("taken")
        /// Everything else.
        package static let failed = Code("failed")
    }

    package var code: Code
    package var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
