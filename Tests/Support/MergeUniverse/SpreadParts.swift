/// Divides scenarios into parts that do not follow the order in which they are numbered, so that none lacks a kind.
package enum SpreadParts {
    /// From 1.
    package static func part(ofScenario number: Int, of count: Int) -> Int {
        var mixed = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 29)) &* 0xBF58_476D_1CE4_E5B9
        return Int((mixed ^ (mixed >> 32)) % UInt64(count)) + 1
    }
}
