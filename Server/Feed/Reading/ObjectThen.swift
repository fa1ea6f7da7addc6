import CausewayMerge
import CausewayModel
import CausewayQuery
import CausewayStore

/// Objects as they were after a version. `PastView` of `Subscriptions` answers the same about one range; here each event has a
/// version of its own.
///
/// A property that no later version touched is read from the snapshot; one that was, from the first image that holds it.
final class ViewThen {
    let snapshot: any StoreSnapshot
    private let window: FeedWindow
    /// Cached, because values and rules ask for many properties of one object.
    private var images: [ImageReference: ObjectState] = [:]
    private var failure: StoreFailure?
    private static let imagesMax = 64

    init(_ snapshot: any StoreSnapshot, _ window: FeedWindow) {
        self.snapshot = snapshot
        self.window = window
    }

    /// Throws what kept an image from being read.
    func check() throws(StoreFailure) {
        if let failure { throw failure }
    }

    func object(_ name: ObjectName, after version: ServerVersion) -> ObjectThen {
        ObjectThen(view: self, name: name, version: version, later: window.later(name, version))
    }

    func matches(
        _ predicate: BoundPredicate, _ name: ObjectName, after version: ServerVersion
    ) throws(StoreFailure) -> Bool {
        if case .constant(let answer) = predicate { return answer }
        let answer = predicate.matches(object(name, after: version))
        try check()
        return answer
    }

    /// The object as values.
    func values(
        of name: ObjectName, after version: ServerVersion, without hidden: Set<Int>
    ) throws(StoreFailure) -> ObjectValues {
        let className = snapshot.className(name.classNumber)
        let values = ObjectValues(
            of: object(name, after: version), className, in: snapshot.schema, without: hidden)
        try check()
        return values
    }

    fileprivate func image(_ reference: ImageReference) -> ObjectState? {
        if let known = images[reference] { return known }
        do throws(StoreFailure) {
            let image = try snapshot.image(reference)
            if images.count >= Self.imagesMax { images.removeAll(keepingCapacity: true) }
            images[reference] = image
            return image
        } catch {
            // A row source cannot throw: `check` throws it.
            failure = error
            return nil
        }
    }

    fileprivate func isAlive(_ name: ObjectName, after version: ServerVersion) -> Bool {
        window.isAlive(name, after: version, snapshot)
    }
}

struct ObjectThen: RowSource {
    let view: ViewThen
    let name: ObjectName
    let version: ServerVersion
    /// What happened to it since.
    let later: ArraySlice<PastTouch>

    func value(of number: Int, in className: String) -> Value {
        guard let property = view.snapshot.schema[className]?.properties[number] else { return .null }
        if property.isPrimaryKey { return name.key.value ?? .null }
        let found = first(number) { image in
            property.isText
                ? image.text(property.name).map { Value.string($0.string) } : image[property.name].map { $0.value }
        }
        if let found { return found }
        guard let row = view.snapshot.row(name), let column = column(property) else { return .null }
        return view.snapshot.value(of: column, in: row)
    }

    func elements(of number: Int, in className: String) -> [Value] {
        // The complement of a property's number stands for the keys of a map.
        let areKeys = number < 0
        guard let property = view.snapshot.schema[className]?.properties[areKeys ? ~number : number] else { return [] }
        if let kind = property.part, let content = first(areKeys ? ~number : number, { $0[property.name, kind] }) {
            return content.elements(areKeys: areKeys || property.collection == .set)
        }
        guard let row = view.snapshot.row(name), let column = column(property) else { return [] }
        return view.snapshot.elements(of: areKeys ? ~column : column, in: row)
    }

    func object(at link: Value, in target: String) -> ObjectThen? {
        guard case .link(let key) = link, let classNumber = view.snapshot.classNumber(target) else { return nil }
        let name = ObjectName(classNumber, key)
        guard view.isAlive(name, after: version) else { return nil }
        return view.object(name, after: version)
    }

    /// From the first image that holds a property. Images that cannot hold it are not loaded.
    private func first<Held>(_ number: Int, _ held: (ObjectState) -> Held?) -> Held? {
        for index in later.indices {
            let touch = later[index]
            if touch.before == .absent { return nil }
            let next = index + 1 < later.endIndex ? later[index + 1] : nil
            guard touch.mayHold(number, next: next), let image = view.image(touch.image) else { continue }
            if let found = held(image) { return found }
        }
        return nil
    }

    private func column(_ property: Property) -> Int? {
        view.snapshot.schema[view.snapshot.className(name.classNumber)]?.index(of: property.name)
    }
}
