package import CausewayModel

/// What the server knows of one object: its life and, per property, the value with the stamp that put it there.
///
/// The same type serves as a device's base copy and, with some properties only, as a change on the wire.
package struct ObjectState: Hashable, Sendable {
    /// Causal length: odd while alive, even once deleted, zero when never seen.
    package var life: UInt32
    /// Ascending by property, so that the order of arrival never shows.
    package var fields: [Field]
    /// Lists, then sets and maps, then texts; each of these ascending by property.
    package var parts: [Part]
    /// The additions to counters since the object was created, ascending by property. A set of a counter removes its
    /// sum.
    package var sums: [CounterSum] = []
    /// The stamp of the first create of this life; operations older than it belong to an earlier one.
    package var born: Stamp

    package init(life: UInt32 = 0, fields: [Field] = [], parts: [Part] = [], born: Stamp = .zero) {
        self.life = life
        self.fields = fields.inPlace()
        self.parts = parts.inPlace()
        self.born = born
    }

    package var isAlive: Bool { life % 2 == 1 }

    package struct Field: Hashable, Sendable {
        package var property: String
        package var value: Value
        package var stamp: Stamp
        package var isDefault: Bool

        package init(_ property: String, _ value: Value, stamp: Stamp, isDefault: Bool = false) {
            self.property = property
            self.value = value
            self.stamp = stamp
            self.isDefault = isDefault
        }
    }
}
