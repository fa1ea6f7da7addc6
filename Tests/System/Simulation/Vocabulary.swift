import CausewayModel
import CausewaySeeds

/// The words that the apps of one seed write: as values, as keys of objects and of maps, and inside of mixed values.
///
/// All seeds draw from as many words, so a seed that has failed stays the story that it was.
struct Vocabulary {
    let words: [String]
    let shopKeys: [PrimaryKey]
    /// What a mixed value holds that is neither a number nor a collection.
    let scalars: [Value]

    static let plain = Vocabulary(
        words: SimulationSchema.words, shopKeys: SimulationSchema.shopKeys,
        scalars: SimulationSchema.words.map { .string($0) })

    /// Among the words are some of the longest that an object may have as its key; among the scalars are texts that a file
    /// keeps beside its leaves, and numbers that are equal and not the same bytes.
    static let extreme = Vocabulary(
        words: SimulationSchema.words.map { word in
            switch word {
            case "d": longestName
            // It differs in the last byte only.
            case ";": String(longestName.dropLast()) + ";"
            default: word
            }
        },
        shopKeys: SimulationSchema.shopKeys.map { $0 == .string("r") ? .string(longestName) : $0 },
        scalars: ["1", "1.0", "1.00", "-0", "0.00", "NaN"].map { .decimal(DecimalNumber($0) ?? .notANumber) } + [
            .double(Double(nan: 3, signaling: false)), .double(-0.0), .float(1),
            .string(String(repeating: "long ", count: 1_000)), .string("a"),
        ])

    /// A third of all seeds have extreme words. It is drawn from numbers of its own, so that nothing else of a seed changes;
    /// the seeds that have failed keep plain words.
    init(seed: UInt64) {
        var random = SeededNumbers(seed: seed ^ 0x766F_6361_6275_6C70)
        self = random.once(in: 3) ? .extreme : .plain
    }

    private init(words: [String], shopKeys: [PrimaryKey], scalars: [Value]) {
        self.words = words
        self.shopKeys = shopKeys
        self.scalars = scalars
    }

    private static let longestName = String(repeating: "d", count: 400)
}
