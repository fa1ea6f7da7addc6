/// Who uses one connection, and who else may.
///
/// Every call takes one of the streams that the server allows at once: a download for as long as its session lasts,
/// any other for a moment. Downloads leave a quarter of them free, because a session cannot go on without other calls.
struct ConnectionUse: Hashable, Sendable {
    enum Call: Hashable, Sendable {
        case download, short
    }

    private(set) var downloads = 0
    private(set) var shortCalls = 0
    /// The most streams at once, as the server says.
    private(set) var streamsMax: Int
    /// Whether somebody has waited for it in vain. It gets no further calls until it is heard of.
    private(set) var isInDoubt = false
    /// Whether it closes because nobody has used it for long. Nothing revives it.
    private(set) var isRetired = false

    /// - Parameter streamsMax: the limit until the server says one. Nil: what our server allows.
    init(streamsMax: Int? = nil) {
        self.streamsMax = streamsMax ?? 64
    }

    var isIdle: Bool { downloads == 0 && shortCalls == 0 }

    private var downloadsMax: Int { max(streamsMax - streamsMax / 4, 1) }

    /// Takes a place for a call; false when there is none.
    mutating func begin(_ call: Call) -> Bool {
        guard !isRetired, !isInDoubt, downloads + shortCalls < streamsMax else { return false }
        switch call {
        case .download:
            guard downloads < downloadsMax else { return false }
            downloads += 1
        case .short:
            shortCalls += 1
        }
        return true
    }

    mutating func end(_ call: Call) {
        switch call {
        case .download: downloads -= 1
        case .short: shortCalls -= 1
        }
    }

    /// False when somebody uses it, or it was retired before.
    mutating func retire() -> Bool {
        guard isIdle, !isRetired else { return false }
        isRetired = true
        return true
    }

    mutating func serverAllows(streams: Int) {
        streamsMax = max(streams, 1)
    }

    /// False when it was in doubt before.
    mutating func doubt() -> Bool {
        guard !isInDoubt else { return false }
        isInDoubt = true
        return true
    }

    /// The connection was heard of, or is gone and the next call opens a new one.
    mutating func trust() {
        isInDoubt = false
    }
}
