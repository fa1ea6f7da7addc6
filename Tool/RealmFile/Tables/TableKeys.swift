/// The places of tables by the keys that links name them with.
struct TableKeys {
    private var places: [UInt32: Int] = [:]

    mutating func add(_ key: UInt64, _ place: Int) -> Bool {
        places.updateValue(place, forKey: UInt32(truncatingIfNeeded: key)) == nil
    }

    func place(ofKey key: UInt32) -> Int? { places[key] }
}
