import CausewayModel

/// The names of a class's fields, found by their bytes. Documents of a class mostly have their fields in one order, so the
/// field that came next the last time is looked at first.
struct FieldNames {
    private var places: ExactDictionary<Int> = [:]
    private var names: [[UInt8]] = []
    /// What came behind each field last; the first entry is for the beginning.
    private var followers: [Int] = [0]

    init(_ names: [String] = []) {
        for name in names { _ = add(name) }
    }

    var count: Int { names.count }

    func name(_ place: Int) -> String { String(decoding: names[place], as: UTF8.self) }

    mutating func add(_ name: String) -> Int {
        let place = names.count
        places[name] = place
        names.append(Array(name.utf8))
        followers.append(place + 1)
        return place
    }

    /// - Parameter before: the place of the field before; -1 at the beginning.
    mutating func place(of name: UnsafeRawBufferPointer, after before: Int) -> Int? {
        let guess = followers[before + 1]
        if isName(guess, name) { return guess }
        if guess < names.count {
            // An optional field is missing.
            let second = followers[guess + 1]
            if isName(second, name) { return second }
        }
        guard let place = places[String(decoding: name, as: UTF8.self)] else { return nil }
        followers[before + 1] = place
        return place
    }

    private func isName(_ place: Int, _ name: UnsafeRawBufferPointer) -> Bool {
        guard place < names.count, names[place].count == name.count else { return false }
        return names[place].withUnsafeBytes { $0.hasSameBytes(as: name) }
    }
}
