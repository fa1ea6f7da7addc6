import CausewayAdmin
import CausewayModel
import CausewayStore
import CausewayStoreEmbedded

/// The class or property that an administrator wants to change, and whether the change is confirmed.
struct SchemaSubject: Sendable {
    var className: String
    /// Nil for the class itself.
    var property: String?
    /// The name once more. Without it nothing is changed, and the answer says what would be.
    var confirm: String?
    /// Changes it although a device has declared it not long ago.
    var evenIfDeclared: Bool

    /// What a device has declared since then counts as in use. Devices note it once a day.
    static let declaredDays = 30

    var name: String { property.map { "\(className).\($0)" } ?? className }

    init(_ body: AdminMembers) throws(AdminError) {
        className = try body.requiredText("class")
        property = try body.text("property")
        confirm = try body.text("confirm")
        evenIfDeclared = try body.flag("evenIfDeclared")
    }

    /// What the database knows of it; nil where it has no such class or property.
    func element(in store: StoreEmbedded) throws(StoreFailure) -> SchemaElement? {
        try store.schemaElements().first { element in
            guard element.className.isSame(as: className) else { return false }
            guard let name = element.property, let property else { return element.property == nil && property == nil }
            return name.isSame(as: property)
        }
    }

    /// A change as a sentence names it.
    struct Change {
        /// “drop”, and “dropped”.
        var verb: String
        var done: String
        /// What becomes of an app that still declares what is changed.
        var consequence: String
    }

    /// - Throws: `conflict` if the name is another one, or devices still declare it.
    func check(
        _ confirm: String, _ element: SchemaElement?, for change: Change, now: UInt64
    ) throws(StoreFailure) {
        guard confirm.isSame(as: name) else {
            throw StoreFailure(
                .conflict,
                "confirm is not “\(name)”, so nothing was \(change.done). Repeat what you want to \(change.verb).")
        }
        let since = now - min(now, UInt64(Self.declaredDays) * 86_400_000)
        guard let element, element.declared >= max(since, 1), !evenIfDeclared else { return }
        throw StoreFailure(
            .conflict,
            "A device has declared “\(name)” within the last \(Self.declaredDays) days, so nothing was \(change.done). "
                + "\(change.consequence) To \(change.verb) it all the same, send evenIfDeclared.")
    }

    /// What devices are told whose sessions end for a change.
    static let reason =
        "The operator is changing the schema of the database. Connect again in a moment; nothing that was not sent is lost."
}
