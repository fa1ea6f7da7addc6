/// Compares what a look at the commits found out with the history itself.
///
/// The look is a shortcut: a session that it leaves asleep is told nothing. A comparison costs what the look saves.
package struct LookChecks: Sendable {
    /// Whether the next session that is to sleep on is compared.
    package let isDue: @Sendable () -> Bool
    /// Told of a session that was to sleep over something that concerns it.
    package let report: @Sendable (String) -> Void

    package init(isDue: @escaping @Sendable () -> Bool, report: @escaping @Sendable (String) -> Void) {
        self.isDue = isDue
        self.report = report
    }

    package static let none = LookChecks(isDue: { false }, report: { _ in })
}
