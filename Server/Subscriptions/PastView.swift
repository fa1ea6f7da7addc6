import CausewayMerge
import CausewayModel
import CausewayQuery
import CausewayStore

/// Touched objects as they were when the range began: the device's held queries were about that state.
///
/// A property that no commit of the range touched is read from the snapshot; one that was, from the first image that
/// holds it.
final class PastView {
    let snapshot: any StoreSnapshot
    /// In the order of names.
    private var touched: [TouchedRow] = []
    /// Images of the object being judged, cached because its predicate may ask for many of its properties.
    private var images: [ImageReference: ObjectState] = [:]
    /// The same without lists, sets, maps and texts: a query that asks for none of them does not read them.
    private var imageFields: [ImageReference: ObjectState] = [:]
    /// The object that these images are of.
    private var name: ObjectName?
    /// The properties of that object that may have changed in the range; nil is all.
    private var changed: PropertyNumbers?
    private var failure: StoreFailure?

    init(_ snapshot: any StoreSnapshot) {
        self.snapshot = snapshot
    }

    func learn(_ history: History) {
        touched = history.touched
    }

    func matched(_ object: TouchedRow, _ query: BoundPredicate) throws(StoreFailure) -> Bool {
        if case .constant(let answer) = query { return answer && object.existed }
        let matches = query.matches(begin(object))
        try check()
        return object.existed && matches
    }

    /// A property of an object that existed when the range began. Call `check` behind it.
    func value(of property: Int, in object: TouchedRow) -> Value {
        begin(object).value(of: property, in: snapshot.className(object.name.classNumber))
    }

    /// Throws what kept an image from being read.
    func check() throws(StoreFailure) {
        if let failure { throw failure }
    }

    private func begin(_ object: TouchedRow) -> PastRow {
        if name != object.name {
            name = object.name
            images.removeAll(keepingCapacity: true)
            imageFields.removeAll(keepingCapacity: true)
            changed = changedProperties(of: object)
        }
        return PastRow(view: self, name: object.name, images: object.images, changed: changed)
    }

    /// The properties of an object that may have changed in the range; nil where that would not be known for certain, or
    /// where it saves nothing. While an object lives on, nothing changes but what operations have named. So a property
    /// that none of them named is not looked for in thousands of images.
    private func changedProperties(of object: TouchedRow) -> PropertyNumbers? {
        guard object.images.count >= Self.imagesMin, let first = object.images.first,
            let row = snapshot.row(object.name),
            let life = try? snapshot.life(in: first), let now = try? snapshot.life(of: row), life == now
        else { return nil }
        return object.columns
    }

    /// Fewer images are read faster than a life is compared.
    private static let imagesMin = 4

    fileprivate func image(_ reference: ImageReference) -> ObjectState? {
        if let known = images[reference] { return known }
        let image = read { () throws(StoreFailure) in try snapshot.image(reference) }
        images[reference] = image
        return image
    }

    fileprivate func imageFields(_ reference: ImageReference) -> ObjectState? {
        if let known = imageFields[reference] { return known }
        let image = read { () throws(StoreFailure) in try snapshot.imageFields(reference) }
        imageFields[reference] = image
        return image
    }

    private func read(_ image: () throws(StoreFailure) -> ObjectState) -> ObjectState? {
        do {
            return try image()
        } catch {
            // A row source cannot throw: `check` throws the failure, and the judgement is dropped.
            failure = error
            return nil
        }
    }

    /// Nil for an object that did not exist when the range began.
    fileprivate func row(_ name: ObjectName) -> PastRow? {
        let index = touched.partitioningIndex { !($0.name < name) }
        guard index < touched.count, touched[index].name == name else {
            return snapshot.row(name).map { _ in PastRow(view: self, name: name, images: [], changed: nil) }
        }
        guard touched[index].existed else { return nil }
        return PastRow(view: self, name: name, images: touched[index].images, changed: nil)
    }
}

private struct PastRow: RowSource {
    let view: PastView
    let name: ObjectName
    let images: [ImageReference]
    /// The properties that images may hold; nil is all.
    let changed: PropertyNumbers?

    /// The images in which a property is looked for.
    private func images(of property: Int) -> [ImageReference] {
        if let changed, !changed.contains(property) { [] } else { images }
    }

    func value(of number: Int, in className: String) -> Value {
        guard let property = view.snapshot.schema[className]?.properties[number] else { return .null }
        if property.isPrimaryKey { return name.key.value ?? .null }
        for reference in images(of: number) {
            if property.isText {
                if let text = view.image(reference)?.text(property.name) { return .string(text.string) }
            } else if let field = view.imageFields(reference)?[property.name] {
                return field.value
            }
        }
        guard let row = view.snapshot.row(name), let column = column(property) else { return .null }
        return view.snapshot.value(of: column, in: row)
    }

    func elements(of number: Int, in className: String) -> [Value] {
        // The complement of a property's number stands for the keys of a map.
        let areKeys = number < 0
        let place = areKeys ? ~number : number
        guard let property = view.snapshot.schema[className]?.properties[place] else { return [] }
        for reference in images(of: place) {
            guard let kind = property.part, let content = view.image(reference)?[property.name, kind] else { continue }
            return content.elements(areKeys: areKeys || property.collection == .set)
        }
        guard let row = view.snapshot.row(name), let column = column(property) else { return [] }
        return view.snapshot.elements(of: areKeys ? ~column : column, in: row)
    }

    func object(at link: Value, in target: String) -> PastRow? {
        guard case .link(let key) = link, let classNumber = view.snapshot.classNumber(target) else { return nil }
        return view.row(ObjectName(classNumber, key))
    }

    private func column(_ property: Property) -> Int? {
        view.snapshot.schema[view.snapshot.className(name.classNumber)]?.index(of: property.name)
    }
}
