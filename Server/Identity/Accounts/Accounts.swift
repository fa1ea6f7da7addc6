package import CausewayEnvironment
package import CausewayLimits
import Dispatch
import Foundation
import Synchronization

/// The users of one database, kept by the server itself: logins, passwords, keys, sessions.
///
/// What a call means is in `ACCOUNTS.md`. Everything durable lies in one home: a file beside the database, or where all nodes
/// have it. A call that changes something is one transaction of it.
///
/// 1. Of a password only its scrypt hash is kept; of tokens and keys only digests.
/// 2. No answer, and no time that it takes, reveals whether an address is known. The exception is a registration where
///    addresses are not confirmed by message: there is no other way to tell the caller.
/// 3. An access token is a JWT that the mint signs. The session that it came from is checked only when it is renewed.
package final class Accounts: Sendable {
    let database: String
    let rules: AccountRules
    let mint: TokenMint
    /// The verifiers of other issuers' tokens, by provider. Guarded by itself; held for a lookup.
    private let verifiers: Mutex<[String: TokenVerifier]>
    let messenger: any AccountMessenger
    let functions: any FunctionRunner
    let clock: any WallClock
    let random: any RandomSource
    private let home: any AccountHome
    /// The home's reads and writes block; they run here, one at a time.
    private let homeQueue = DispatchQueue(label: "causeway.accounts")
    let attempts: Mutex<Attempts>
    /// Work that is done after the answer, one thing after the other.
    private let afterwork = Mutex<Task<Void, Never>?>(nil)
    /// How many accounts are made in a time.
    let rates: RateGate
    let hasher: PasswordHasher
    /// The hash that an unknown address is compared with, so that it takes as long as a known one.
    let nobodysPassword: PasswordHash

    package static let fileName = "accounts.causeway"

    /// Opens the accounts in a database's folder, or makes them. See the other `open`.
    package static func open(
        folder: String, database: String, rules: AccountRules, providers: [String: TokenVerifier] = [:],
        messenger: any AccountMessenger, functions: any FunctionRunner = NoFunctions(),
        rates: RateGate = .unlimited, clock: any WallClock, random: any RandomSource = SystemRandom()
    ) async throws(IdentityError) -> Accounts {
        try await open(
            try AccountFile.opened(inFolder: folder, of: database), database: database, rules: rules,
            providers: providers, messenger: messenger, functions: functions,
            rates: rates, clock: clock, random: random)
    }

    /// Opens accounts where they are.
    ///
    /// - Parameters:
    ///   - home: closed when the accounts are, and when this throws.
    ///   - providers: the verifiers of the tokens of `custom-token`, `oauth2-apple` and so on.
    ///   - rates: how many accounts may be made in a time.
    /// - Throws: `keyUnusable` when the home, or the key in it, cannot be used.
    package static func open(
        _ home: any AccountHome, database: String, rules: AccountRules, providers: [String: TokenVerifier] = [:],
        messenger: any AccountMessenger, functions: any FunctionRunner = NoFunctions(),
        rates: RateGate = .unlimited, clock: any WallClock, random: any RandomSource = SystemRandom()
    ) async throws(IdentityError) -> Accounts {
        let pem: String
        do {
            pem = try signingKey(in: home)
        } catch {
            home.close()
            let reason = (error as? AccountError)?.message ?? "\(error)"
            throw .unusable("The accounts of '\(database)' cannot be opened: \(reason)")
        }
        return try await Accounts(
            home, try TokenMint(pem: pem, database: database), database, rules, providers, messenger, functions, rates,
            clock, random)
    }

    private static func signingKey(in home: any AccountHome) throws -> String {
        if let key = try home.read({ try $0.signingKey() }) { return key }
        return try home.write { trees in
            // Of nodes that begin together, one draws.
            if let key = try trees.signingKey() { return key }
            let key = TokenMint.newKey()
            try trees.save(signingKey: key)
            return key
        }
    }

    private init(
        _ home: any AccountHome, _ mint: TokenMint, _ database: String, _ rules: AccountRules,
        _ providers: [String: TokenVerifier], _ messenger: any AccountMessenger, _ functions: any FunctionRunner,
        _ rates: RateGate, _ clock: any WallClock, _ random: any RandomSource
    ) async throws(IdentityError) {
        self.home = home
        self.mint = mint
        self.database = database
        self.rules = rules
        verifiers = Mutex(providers)
        self.messenger = messenger
        self.functions = functions
        self.rates = rates
        self.clock = clock
        self.random = random
        attempts = Mutex(
            Attempts(
                max: rules.failuresMax, anonymousMax: rules.anonymousMax,
                windowMilliseconds: rules.failureWindowMilliseconds))
        hasher = PasswordHasher()
        do {
            nobodysPassword = try PasswordHash(of: "nobody", cost: rules.passwordCost, random: random)
        } catch {
            throw .unusable("scrypt does not run on this machine: \(error.message)")
        }
    }

    package func close() {
        home.close()
    }

    /// Does what answers have promised, and closes the home. Call it when no call runs any more.
    package func end() async {
        await settled()
        close()
        await messenger.finish()
    }

    /// The verifiers of other issuers' tokens, by provider.
    var providers: [String: TokenVerifier] { verifiers.withLock { $0 } }

    /// Replaces the keys of other issuers from now on.
    package func replaceProviders(by providers: [String: TokenVerifier]) {
        verifiers.withLock { $0 = providers }
    }

    /// The bearer of a token that these accounts signed; nil for a token of anybody else.
    package func caller(for token: String, at now: UInt64) throws(IdentityError) -> Caller? {
        try mint.caller(for: token, at: now)
    }

    // MARK: - After the answer

    /// Does something after the answer, because its duration must not reveal anything to the caller.
    func afterwards(_ body: @escaping @Sendable () async throws(AccountError) -> Void) {
        afterwork.withLock { last in
            let previous = last
            last = Task { [messenger] in
                await previous?.value
                do throws(AccountError) {
                    try await body()
                } catch {
                    messenger.report("What an answer promised could not be done: \(error.message)")
                }
            }
        }
    }

    /// Returns when everything promised so far is done.
    package func settled() async {
        await afterwork.withLock { $0 }?.value
    }

    // MARK: - The home

    func reading<Result: Sendable>(
        _ body: @escaping @Sendable (AccountTables) throws(AccountError) -> Result
    ) async throws(AccountError) -> Result {
        try await atHome { home in try home.read { try body(AccountTables($0)) } }
    }

    /// Runs a write transaction. Throwing rolls back.
    func writing<Result: Sendable>(
        _ body: @escaping @Sendable (AccountTables) throws(AccountError) -> Result
    ) async throws(AccountError) -> Result {
        try await atHome { home in try home.write { try body(AccountTables($0)) } }
    }

    private func atHome<Result: Sendable>(
        _ body: @escaping @Sendable (any AccountHome) throws -> Result
    ) async throws(AccountError) -> Result {
        let outcome: Swift.Result<Result, any Error> = await withCheckedContinuation { continuation in
            homeQueue.async { [home] in continuation.resume(returning: .init { try body(home) }) }
        }
        do {
            return try outcome.get()
        } catch let error as AccountError {
            throw error
        } catch {
            messenger.report("The accounts of '\(database)' cannot be read or written: \(error)")
            throw AccountError(
                .internalServerError, "The server's accounts cannot be read or written. Its log says why.")
        }
    }
}

/// Runs scrypt, which takes a processor and 32 MiB for a tenth of a second: a few at a time, and a bounded number
/// waits.
final class PasswordHasher: Sendable {
    private let queues: [DispatchQueue]
    private let next = Atomic(0)
    private let waiting = Atomic(0)

    private static let waitingMax = 200

    init() {
        let count = max(1, min(4, ProcessInfo.processInfo.activeProcessorCount / 2))
        queues = (0..<count).map { DispatchQueue(label: "causeway.passwords.\($0)") }
    }

    func run<Result: Sendable>(
        _ body: @escaping @Sendable () throws(AccountError) -> Result
    ) async throws(AccountError) -> Result {
        let queue = queues[abs(next.wrappingAdd(1, ordering: .relaxed).newValue) % queues.count]
        let count = waiting.add(1, ordering: .relaxed).newValue
        defer { waiting.subtract(1, ordering: .relaxed) }
        guard count <= Self.waitingMax else {
            throw AccountError(.maintenanceInProgress, "Too many logins are under way. Try again later.")
        }
        let outcome: Swift.Result<Result, AccountError> = await withCheckedContinuation { continuation in
            queue.async {
                do throws(AccountError) {
                    continuation.resume(returning: .success(try body()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try outcome.get()
    }
}
