/// Whether the call that reads can throw what it meets.
///
/// Most reads have no words for damage: a damaged page counts as absent. Calls that throw look at
/// ``StorageReader/damage`` when they are done, and say so with `throwing`. Everybody else would take an absence for an
/// answer, so ``StorageOptions/onDamage`` is called before they get one.
package enum DamageReporting {
    @TaskLocal private static var canThrow = false

    package static var isThrowing: Bool { canThrow }

    /// Runs a call that throws the damage it meets.
    package static func throwing<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try with(true, body)
    }

    /// Runs a part of such a call after which nothing is thrown any more.
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
