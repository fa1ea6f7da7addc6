import Causeway
import CausewaySeeds
import Foundation
import Testing

/// A type of elements with a list, a set and a map of it, and what is to be tried with them.
struct CollectionProduct: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Tries everything with values that a seed draws. Answers what came out otherwise than the arrays say.
    let run: @Sendable (_ seed: UInt64) throws -> [String]
}

private typealias Place<C> = any ReferenceWritableKeyPath<ProductHolder, C> & Sendable

private func products<T: ProductValue>(
    _ type: T.Type, _ list: Place<List<T>>, _ set: Place<MutableSet<T>>, _ map: Place<Map<String, T>>
) -> CollectionProduct {
    CollectionProduct(testDescription: "\(T.self)") { seed in
        var run = ProductRun(seed, T.ordered, \.amount, list, set, map)
        return try run.differences()
    }
}

private func products<T: ProductValue>(
    optional type: T.Type, _ list: Place<List<T?>>, _ set: Place<MutableSet<T?>>, _ map: Place<Map<String, T?>>
) -> CollectionProduct {
    CollectionProduct(testDescription: "\(T.self)?") { seed in
        var run = ProductRun(seed, [nil] + T.ordered, { $0?.amount }, list, set, map)
        return try run.differences()
    }
}

private let mixedProduct = CollectionProduct(testDescription: "AnyRealmValue") { seed in
    let ordered: [AnyRealmValue] = [
        .none, .bool(false), .bool(true), .int(-1), .double(0.5), .decimal128(2), .string("a"), .data(Data([98])),
        .date(Date(timeIntervalSince1970: 0)), .objectId(ObjectId.ordered[1]),
    ]
    var run = ProductRun(
        seed, ordered,
        { value in
            switch value {
            case .int(let number): Double(number)
            case .double(let number): number
            case .decimal128(let number): number.doubleValue
            default: nil
            }
        }, \.listMixed, \.setMixed, \.mapMixed)
    return try run.differences()
}

/// One run: arrays that the run makes itself beside the collections that hold the same.
private struct ProductRun<E: RealmCollectionValue> {
    /// Every value of the type that is drawn, in the order that sorts have.
    let ordered: [E]
    let amount: (E) -> Double?
    let list: Place<List<E>>
    let set: Place<MutableSet<E>>
    let map: Place<Map<String, E>>
    var numbers: SeededNumbers
    var found: [String] = []

    init(
        _ seed: UInt64, _ ordered: [E], _ amount: @escaping (E) -> Double?, _ list: Place<List<E>>,
        _ set: Place<MutableSet<E>>, _ map: Place<Map<String, E>>
    ) {
        (self.ordered, self.amount, self.list, self.set, self.map) = (ordered, amount, list, set, map)
        numbers = SeededNumbers(seed: seed)
    }

    private mutating func check(_ holds: Bool, _ what: @autoclosure () -> String) {
        if !holds { found.append(what()) }
    }

    private func rank(_ value: E) -> Int { ordered.firstIndex(of: value) ?? -1 }

    private mutating func values() -> [E] {
        var values: [E] = []
        for _ in 0..<numbers.number(0...8) { values.append(numbers.one(of: ordered)) }
        return values
    }

    private mutating func entries() -> [String: E] {
        var entries: [String: E] = [:]
        for value in values() { entries["key \(numbers.below(6))"] = value }
        return entries
    }

    // MARK: - The forms of a holder

    mutating func differences() throws -> [String] {
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString, objectTypes: [ProductHolder.self]))
        let (array, entries) = (values(), entries())
        let holder = ProductHolder()
        change(holder, "unmanaged")
        fill(holder, array, entries)
        try read(holder, array, entries, "unmanaged")

        try realm.write { realm.add(holder) }
        try read(holder, array, entries, "managed")
        try read(holder.freeze(), array, entries, "frozen")
        if let thawed = holder.freeze().thaw() { try read(thawed, array, entries, "thawed") }
        if let resolved = realm.resolve(ThreadSafeReference(to: holder)) {
            try read(resolved, array, entries, "resolved")
        }
        try read(ProductHolder(value: holder), array, entries, "a copy")

        try realm.write {
            let made = realm.create(ProductHolder.self, value: ["id": 1])
            change(made, "made in the write")
            fill(made, array, entries)
            try read(made, array, entries, "made in the write")
            let list = made[keyPath: self.list]
            realm.delete(made)
            check(list.isInvalidated, "a list of a deleted object is valid")
            change(holder, "managed, in a write")
            fill(holder, array, entries)
            let other = realm.create(ProductHolder.self, value: ["id": 2])
            other[keyPath: self.list] = holder[keyPath: self.list]
            other[keyPath: set] = holder[keyPath: set]
            other[keyPath: map] = holder[keyPath: map]
            try read(other, array, entries, "assigned")
        }
        try read(holder, array, entries, "committed")
        try realm.write {
            let source = ProductHolder()
            source.id = 3
            fill(source, array, entries)
            realm.create(ProductHolder.self, value: source)
        }
        if let created = realm.object(ofType: ProductHolder.self, forPrimaryKey: 3) {
            try read(created, array, entries, "created from an object")
        }
        return found
    }

    private func fill(_ holder: ProductHolder, _ array: [E], _ entries: [String: E]) {
        holder[keyPath: list].removeAll()
        holder[keyPath: list].append(objectsIn: array)
        holder[keyPath: set].removeAll()
        holder[keyPath: set].insert(objectsIn: array)
        holder[keyPath: map].removeAll()
        for (key, value) in entries { holder[keyPath: map][key] = value }
    }

    // MARK: - Reading

    private mutating func read(
        _ holder: ProductHolder, _ array: [E], _ entries: [String: E], _ form: String
    ) throws {
        let list = holder[keyPath: list]
        var once: [E] = []
        for value in array where !once.contains(value) { once.append(value) }
        readElements(list, array, "list, \(form)")
        readElements(AnyRealmCollection(list), array, "any collection of a list, \(form)")
        let set = holder[keyPath: set]
        check(Set(set) == Set(once) && set.count == once.count, "set, \(form): \(Array(set)) of \(once)")
        check(once.allSatisfy { set.contains($0) }, "set, \(form): contains")
        readElements(set, Array(set), "set, \(form)")
        let map = holder[keyPath: map]
        check(
            map.count == entries.count && Set(map.keys) == Set(entries.keys)
                && entries.allSatisfy { map[$0.key] == $0.value } && map["none"] == nil, "map, \(form)")
        var pairs = 0
        for entry in map where entries[entry.key] == entry.value { pairs += 1 }
        check(pairs == entries.count, "map, \(form): a loop")
        readAmounts(list.min(ofProperty: "self"), list.max(ofProperty: "self"), array, "list, \(form)")
        guard holder.realm != nil else { return }
        readOrders(list, array, once, "list, \(form)")
        check(
            Array(map.sorted(byKeyPath: "self")).map(rank) == entries.values.map(rank).sorted(),
            "map, \(form): sorted")
    }

    private mutating func readElements<C: RealmCollection>(_ collection: C, _ array: [E], _ form: String)
    where C.Element == E {
        check(
            Array(collection) == array && collection.count == array.count, "\(form): \(Array(collection)) of \(array)")
        check(collection.first == array.first && collection.last == array.last, "\(form): first and last")
        check(array.indices.allSatisfy { collection[$0] == array[$0] }, "\(form): by subscript")
        for value in ordered {
            check(collection.index(of: value) == array.firstIndex(of: value), "\(form): index of \(value)")
            check(collection.contains(value) == array.contains(value), "\(form): contains \(value)")
        }
        check(Array(collection.reversed()) == array.reversed() && collection.map { $0 } == array, "\(form): sequences")
        check(collection.value(forKeyPath: "@count") as? Int == array.count, "\(form): @count")
        let held: [Any?] = collection.value(forKey: "self")
        check(held.count == array.count, "\(form): values by name")
        check(!collection.description.isEmpty && collection.isEqual(collection), "\(form): equal to itself")
    }

    private mutating func readOrders<C: RealmCollection>(_ collection: C, _ array: [E], _ once: [E], _ form: String)
    where C.Element == E {
        let sorted = collection.sorted(byKeyPath: "self")
        check(sorted.map(rank) == array.map(rank).sorted(), "\(form): sorted as \(Array(sorted))")
        let descending = collection.sorted(byKeyPath: "self", ascending: false)
        check(descending.map(rank) == array.map(rank).sorted(by: >), "\(form): descending as \(Array(descending))")
        check(Array(collection.distinct(by: ["self"])) == once, "\(form): distinct")
        readElements(sorted, Array(sorted), "\(form), sorted")
    }

    /// The least and the largest number as a Double, of types that have amounts.
    private mutating func readAmounts(
        _ least: @autoclosure () -> Double?, _ largest: @autoclosure () -> Double?, _ array: [E], _ form: String
    ) {
        guard ordered.compactMap(amount).count > 1, ordered.allSatisfy({ amount($0) != nil || rank($0) == 0 }) else {
            return
        }
        let amounts = array.compactMap(amount)
        check(least() == amounts.min() && largest() == amounts.max(), "\(form): least and largest of \(amounts)")
    }

    // MARK: - Changing

    /// Random changes, each done to the array too.
    private mutating func change(_ holder: ProductHolder, _ form: String) {
        let list = holder[keyPath: list]
        list.removeAll()
        var array: [E] = []
        for _ in 0..<20 {
            let value = numbers.one(of: ordered)
            let place = numbers.number(0...array.count)
            switch numbers.below(8) {
            case 0...2:
                list.insert(value, at: place)
                array.insert(value, at: place)
            case 3:
                list.append(value)
                array.append(value)
            case 4 where place < array.count:
                list.remove(at: place)
                array.remove(at: place)
            case 5 where place < array.count:
                list[place] = value
                array[place] = value
            case 6 where place < array.count:
                let target = numbers.below(array.count)
                list.move(from: place, to: target)
                array.insert(array.remove(at: place), at: target)
            case 7 where array.count > 1:
                let more = values()
                list.replaceSubrange(0..<2, with: more)
                array.replaceSubrange(0..<2, with: more)
            default: break
            }
            check(Array(list) == array, "list, \(form), changed: \(Array(list)) of \(array)")
        }
        let set = holder[keyPath: set]
        set.removeAll()
        var members: [E] = []
        for _ in 0..<12 {
            let value = numbers.one(of: ordered)
            if numbers.once(in: 3) {
                set.remove(value)
                members.removeAll { $0 == value }
            } else {
                set.insert(value)
                if !members.contains(value) { members.append(value) }
            }
            check(Set(set) == Set(members) && set.count == members.count, "set, \(form), changed")
        }
    }
}

/// What works on one collection works on every other: each kind of each type, in every form that an object has.
@Suite("Collections of every type in every form")
struct CollectionProductTests {
    private static let seeds = SeedList.drawn(for: "collection-products", count: 3)

    private static let all: [CollectionProduct] = [
        products(Bool.self, \.listBool, \.setBool, \.mapBool),
        products(optional: Bool.self, \.listBoolMaybe, \.setBoolMaybe, \.mapBoolMaybe),
        products(Int.self, \.listInt, \.setInt, \.mapInt),
        products(optional: Int.self, \.listIntMaybe, \.setIntMaybe, \.mapIntMaybe),
        products(Int8.self, \.listInt8, \.setInt8, \.mapInt8),
        products(optional: Int8.self, \.listInt8Maybe, \.setInt8Maybe, \.mapInt8Maybe),
        products(Int16.self, \.listInt16, \.setInt16, \.mapInt16),
        products(optional: Int16.self, \.listInt16Maybe, \.setInt16Maybe, \.mapInt16Maybe),
        products(Int32.self, \.listInt32, \.setInt32, \.mapInt32),
        products(optional: Int32.self, \.listInt32Maybe, \.setInt32Maybe, \.mapInt32Maybe),
        products(Int64.self, \.listInt64, \.setInt64, \.mapInt64),
        products(optional: Int64.self, \.listInt64Maybe, \.setInt64Maybe, \.mapInt64Maybe),
        products(Float.self, \.listFloat, \.setFloat, \.mapFloat),
        products(optional: Float.self, \.listFloatMaybe, \.setFloatMaybe, \.mapFloatMaybe),
        products(Double.self, \.listDouble, \.setDouble, \.mapDouble),
        products(optional: Double.self, \.listDoubleMaybe, \.setDoubleMaybe, \.mapDoubleMaybe),
        products(Decimal128.self, \.listDecimal, \.setDecimal, \.mapDecimal),
        products(optional: Decimal128.self, \.listDecimalMaybe, \.setDecimalMaybe, \.mapDecimalMaybe),
        products(String.self, \.listString, \.setString, \.mapString),
        products(optional: String.self, \.listStringMaybe, \.setStringMaybe, \.mapStringMaybe),
        products(Data.self, \.listData, \.setData, \.mapData),
        products(optional: Data.self, \.listDataMaybe, \.setDataMaybe, \.mapDataMaybe),
        products(Date.self, \.listDate, \.setDate, \.mapDate),
        products(optional: Date.self, \.listDateMaybe, \.setDateMaybe, \.mapDateMaybe),
        products(Duration.self, \.listDuration, \.setDuration, \.mapDuration),
        products(optional: Duration.self, \.listDurationMaybe, \.setDurationMaybe, \.mapDurationMaybe),
        products(ObjectId.self, \.listObjectId, \.setObjectId, \.mapObjectId),
        products(optional: ObjectId.self, \.listObjectIdMaybe, \.setObjectIdMaybe, \.mapObjectIdMaybe),
        products(UUID.self, \.listUUID, \.setUUID, \.mapUUID),
        products(optional: UUID.self, \.listUUIDMaybe, \.setUUIDMaybe, \.mapUUIDMaybe),
        products(ProductSize.self, \.listSize, \.setSize, \.mapSize),
        products(optional: ProductSize.self, \.listSizeMaybe, \.setSizeMaybe, \.mapSizeMaybe),
        products(ProductWord.self, \.listWord, \.setWord, \.mapWord),
        products(optional: ProductWord.self, \.listWordMaybe, \.setWordMaybe, \.mapWordMaybe),
        products(ProductWeight.self, \.listWeight, \.setWeight, \.mapWeight),
        products(optional: ProductWeight.self, \.listWeightMaybe, \.setWeightMaybe, \.mapWeightMaybe),
        mixedProduct,
    ]

    @Test("answer as arrays, sets and dictionaries do", arguments: all, seeds)
    func answer(product: CollectionProduct, seed: UInt64) throws {
        let found = try product.run(seed)
        #expect(found.isEmpty, "seed \(seed), \(product.testDescription): \(found.prefix(5))")
    }
}
