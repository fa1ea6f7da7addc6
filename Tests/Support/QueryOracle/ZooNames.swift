import CausewaySeeds

/// How one history names its keepers, and the keys of its maps.
///
/// A third of the histories have names that are hard to tell apart, or of any length. Which ones do comes of numbers of its
/// own, so that nothing else of a history changes; those of the seeds that have failed keep plain names.
struct ZooNames {
    let keys: [String]
    private let areExtreme: Bool

    init(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed ^ 0x6E61_6D65_7300)
        areExtreme = numbers.once(in: 3)
        keys =
            areExtreme ? ["", Self.long, "\u{FB01}", "\u{C4}", "A\u{308}"] : ["a", "b", "key 3", "\u{C4}", "A\u{308}"]
    }

    func keeper(_ number: Int) -> String {
        guard areExtreme else { return "keeper \(number)" }
        if number == 0 { return "" }
        // Pairs that are one text to Unicode, and two by their bytes; look-alikes; the longest, which differ at the end only.
        let beginnings = ["\u{E9}", "e\u{301}", "K", "\u{212A}", "\u{FB01}", "fi", Self.long]
        let (group, place) = number.quotientAndRemainder(dividingBy: beginnings.count)
        let end = group == 0 ? "" : "\(group)"
        return beginnings[place].prefix(Self.long.count - end.count) + end
    }

    private static let long = String(repeating: "d", count: 400)
}
