/// Whether the current call can throw the damage that it finds.
///
/// Most reads cannot report damage: a damaged page counts as absent. A call that can throw runs inside `throwing`, and
/// checks ``StorageReader/damage`` at its end. Any other caller would take the absence for an answer, so
/// ``StorageOptions/onDamage`` is called before the read returns.
package enum DamageReporting {
    @TaskLocal private static var canThrow = false

    package static var isThrowing: Bool { canThrow }

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
        let result: Swift.Result<Result, Failure> = $canThrow.withValue(value) {
            Swift.Result { () throws(Failure) in try body() }
        }
        return try result.get()
    }
}
