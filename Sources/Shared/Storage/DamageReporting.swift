import CStorage

/// Whether the current call can throw the damage that it finds.
///
/// Most reads cannot report damage: a damaged page counts as absent. A call that can throw runs inside `throwing`, and
/// checks ``StorageReader/damage`` at its end. Any other caller would take the absence for an answer, so
/// ``StorageOptions/onDamage`` is called before the read returns.
package enum DamageReporting {
    // A variable of the thread: every commit sets it several times, and a task-local value allocates memory each time. The
    // calls below neither suspend nor change the thread.
    package static var isThrowing: Bool { causeway_throws_damage() }

    /// Runs a call that throws the damage it finds.
    package static func throwing<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try with(true, body)
    }

    /// Runs the last part of such a call, after which it throws no damage any more.
    package static func final<Result>(_ body: () -> Result) -> Result {
        with(false, body)
    }

    private static func with<Result, Failure: Error>(
        _ value: Bool, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let before = causeway_throws_damage()
        causeway_set_throws_damage(value)
        defer { causeway_set_throws_damage(before) }
        return try body()
    }
}
