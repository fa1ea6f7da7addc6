import CausewayModel

extension Schema {
    /// Names what a device of this schema can hold: equal for equal classes and properties in every process. Zero for
    /// none.
    ///
    /// FNV-1a of 64 bits: not a seal, only a name. A device that lies about it gets a wrong view of its own.
    var fingerprint: UInt64 {
        if classes.isEmpty { return 0 }
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func add(_ text: String) {
            for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            // No text holds this byte, so that two texts are not one.
            hash = (hash ^ 0xFF) &* 0x100_0000_01B3
        }
        for declared in classes.sorted(by: { $0.name < $1.name }) {
            add(declared.name)
            for name in declared.properties.map(\.name).sorted() { add(name) }
            add("")
        }
        return max(hash, 1)
    }
}
