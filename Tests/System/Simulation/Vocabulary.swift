import CausewayModel
import CausewaySeeds

/// The words that the apps of one seed write: as values, as keys of objects and of maps, and inside of mixed values.
struct Vocabulary {
    let words: [String]
    let shopKeys: [PrimaryKey]
    /// What a mixed value holds that is neither a number nor a collection.
    let scalars: [Value]
    /// Numbers among which are some that are equal, or no numbers, and not written alike. Without any the apps have no
    /// properties for them.
    let decimals: [Value]
    let doubles: [Value]

    var hasNumbers: Bool { !decimals.isEmpty }

    static let plain = Vocabulary(
        words: SimulationSchema.words, shopKeys: SimulationSchema.shopKeys,
        scalars: SimulationSchema.words.map { .string($0) }, decimals: [], doubles: [])

    /// Among the words are some of the longest that an object may have as its key, of which two differ in the last byte only,
    /// the empty one, pairs that are one text to Unicode, and others that look alike; among the scalars are texts that a
    /// file keeps beside its leaves, and numbers that are equal and not the same bytes.
    static let extreme = Vocabulary(
        words: [
            "a", "\u{FF41}", "b", "", "\u{E9}", "e\u{301}", "K", "\u{212A}", "\u{FB01}", "fi", longestName,
            String(longestName.dropLast()) + ";",
        ],
        shopKeys: ["", "\u{FB01}", "fi", "K", "\u{212A}", "\u{FF2B}", longestName].map { .string($0) },
        scalars: numbers + [.float(1), .string(String(repeating: "long ", count: 1_000)), .string("a")],
        decimals: decimalNumbers, doubles: doubleNumbers)

    /// A third of all seeds have extreme words. It is drawn from numbers of its own, so that nothing else of a seed changes;
    /// the seeds that have failed keep plain words.
    init(seed: UInt64) {
        var random = SeededNumbers(seed: seed ^ 0x766F_6361_6275_6C70)
        self = random.once(in: 3) ? .extreme : .plain
    }

    private init(
        words: [String], shopKeys: [PrimaryKey], scalars: [Value], decimals: [Value], doubles: [Value]
    ) {
        self.words = words
        self.shopKeys = shopKeys
        self.scalars = scalars
        self.decimals = decimals
        self.doubles = doubles
    }

    private static let decimalNumbers: [Value] = ["1", "1.0", "1.00", "0", "-0", "0.00", "NaN", "1E+1", "10"].map {
        Value.decimal(DecimalNumber($0) ?? .notANumber)
    }
    private static let doubleNumbers: [Value] = [
        .double(0), .double(-0.0), .double(1), .double(.nan), .double(Double(nan: 3, signaling: false)),
    ]
    static let numbers: [Value] = decimalNumbers + doubleNumbers
    private static let longestName = String(repeating: "d", count: 400)
}
