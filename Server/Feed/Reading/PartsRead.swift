import CausewayModel

/// What the reading of one object has met so far: parts in parts, however they refer to each other, make no more work and no
/// larger values than the object has.
final class PartsRead {
    private struct Part: Hashable {
        var className: ExactString
        var key: PrimaryKey
    }

    private var parts: Set<Part> = []
    private var items = 0

    /// Counts what one property or collection holds.
    func count(_ items: Int) { self.items += items }

    /// Whether a part is to be read: it is met for the first time, and there are not too many items before it.
    func begins(_ key: PrimaryKey, in className: String) -> Bool {
        guard items <= ObjectValues.itemsMax else { return false }
        return parts.insert(Part(className: ExactString(className), key: key)).inserted
    }
}
