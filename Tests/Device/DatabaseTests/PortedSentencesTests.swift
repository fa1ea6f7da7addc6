import Causeway
import Foundation
import Testing

/// What an app does that RealmSwift answers with an exception, beside the reason that its users know.
private enum KnownMisuse: String, CaseIterable, Codable, Sendable {
    case listOutsideWrite = "Cannot modify List outside of a write transaction."
    case setOutsideWrite = "Cannot modify Set outside of a write transaction."
    case mapOutsideWrite = "Cannot modify Dictionary outside of a write transaction."
    case propertyOutsideWrite =
        "Attempting to modify object outside of a write transaction - call beginWriteTransaction on an RLMRealm instance first."
    case addOutsideWrite =
        "Can only add, remove, or create objects in a Realm in a write transaction - call beginWriteTransaction on an RLMRealm instance first."
    case listOfDeletedParent =
        "List is no longer valid. Either the parent object was deleted or the containing Realm has been invalidated or closed."
    case deletedObject = "Object has been deleted or invalidated."
    case negativeIndex = "Cannot pass a negative value for 'index'."
    case indexBeyondEnd = "Index 3 is out of bounds (must be less than 0)."
    case keyOfClassWithoutKey = "'PortedDog' does not have a primary key defined"
    case updateOfClassWithoutKey = "'PortedDog' does not have a primary key and can not be updated"
    case duplicateKey =
        "Attempting to create an object of type 'PortedOwner' with an existing primary key value '1'."
    case changedKey = "Primary key can't be changed after an object is inserted."
    case filterOfValues = "Querying is currently only implemented for arrays of Realm Objects"
    case sumOfStrings = "Operation 'sum' not supported for string property 'PortedDog.name'"
    case leastOfStringList = "Operation 'min' not supported for string list 'PortedOwner.nicknames'"
    case sumOfUnknown = "Property 'agee' not found in object of type 'PortedDog'"
    case unknownSortKey = "Cannot sort on key path 'agee': property 'PortedDog.agee' does not exist."
    case queryForOthersObject = "Object must be from the Realm being queried"
    case deleteOthersResults = "Can only delete objects from the Realm they belong to."
    case deleteOthersObject = "Can only delete an object from the Realm it belongs to."
    case addOthersObject =
        "Object is already managed by another Realm. Use create instead to copy it into this Realm."
    case nestedWrite = "The Realm is already in a write transaction"
    case commitOfNothing = "Can't commit a non-existing write transaction"
    case writeOfFrozen = "Can't perform transactions on a frozen Realm"
    case observeUnmanaged = "Only objects which are managed by a Realm support change notifications"
    case referenceToUnmanaged =
        "Cannot construct reference to unmanaged object, which can be passed across threads directly"
    case referenceUsedTwice = "Can only resolve a thread safe reference once."
    case embeddedOfAnother = "Can't set link to existing managed embedded object"
    case unknownName = "Invalid property name 'nope' for class 'PortedDog'."
    case objectOfAnotherClass =
        "Expected object of type object for property 'dog' on object of type 'PortedOwner', but received: PortedToy {"
    case objectOfAnotherClassInList =
        "Expected object of type PortedDog for property 'dogs' on object of type 'PortedOwner', but received: PortedToy {"
    case objectOfAnotherClassAmongSeveral =
        "Expected object of type object in IN clause for property 'dog' on object of type 'PortedOwner', but received: PortedToy {"
    case projectionOfOtherProperty = "@Projected property 'nothing' must be a part of Realm object"
    case rejectedDefault =
        "Failed to default construct a PortedStrictCode using the default value for persisted type String. This conversion must either succeed, the property must be optional, or you must explicitly specify a default value for the property."
    case rejectedValue =
        "Failed to convert persisted value '' to type 'PortedStrictCode' in a non-optional context."
    case subqueryWithoutCollection = "Subqueries must contain a keypath starting with a collection."
    case asyncWriteOnPlainThread =
        "Cannot schedule async transaction. Make sure you are running from inside a run loop."
    case observeInWrite = "Cannot register notification blocks from within write transactions."
    case observeFrozen = "Frozen Realms do not change and do not have change notifications."
    case frozenObject =
        "Attempting to modify a frozen object - call thaw on the Object instance first."
    case cancelOfNothing = "Can't cancel a non-existing write transaction"
    case thawUnmanaged = "Unmanaged objects cannot be thawed."
    case freezeUnmanaged = "Unmanaged objects cannot be frozen."
    case addDeleted = "Adding a deleted or invalidated object to a Realm is not permitted"
    case keyWithDollar = "Dictionary::insert: key must not start with '$'"
    case invalidatedResults = "Access to invalidated Results objects"
    case freezeUnmanagedList = "This method may only be called on RLMArray instances retrieved from an RLMRealm"
    case sectionsWithoutOrder = "There must be at least one SortDescriptor when using SectionedResults."
    case twoCollections = "Comparing two collection columns is not permitted."
    case refreshFrozen = "Auto-refresh cannot be enabled for frozen Realms."

    func commit() throws {
        let realm = try portedRealm()
        let other = try portedRealm()
        let owner = try realm.write {
            realm.create(PortedOwner.self, value: ["id": 1, "home": ["street": "a"]] as [String: Any])
        }
        let dog = try realm.write { realm.create(PortedDog.self) }
        let theirs = try other.write { other.create(PortedDog.self) }
        let dogs = realm.objects(PortedDog.self)
        switch self {
        case .listOutsideWrite: owner.nicknames.append("x")
        case .setOutsideWrite: owner.tags.insert("x")
        case .mapOutsideWrite: owner.counts["x"] = 1
        case .propertyOutsideWrite: dog.age = 3
        case .addOutsideWrite: realm.add(PortedDog())
        case .listOfDeletedParent:
            let list = owner.nicknames
            try realm.write { realm.delete(owner) }
            _ = list.count
        case .deletedObject:
            try realm.write { realm.delete(dog) }
            _ = dog.name
        case .negativeIndex: _ = dogs[-1]
        case .indexBeyondEnd: _ = owner.dogs[3]
        case .keyOfClassWithoutKey: _ = realm.object(ofType: PortedDog.self, forPrimaryKey: 1)
        case .updateOfClassWithoutKey: try realm.write { realm.add(PortedDog(), update: .modified) }
        case .duplicateKey: try realm.write { realm.create(PortedOwner.self, value: ["id": 1]) }
        case .changedKey: try realm.write { owner.id = 2 }
        case .filterOfValues: _ = owner.nicknames.filter("self == 'x'")
        case .sumOfStrings: _ = dogs.sum(ofProperty: "name") as Int
        case .leastOfStringList: _ = owner.nicknames.min(ofProperty: "self") as Int?
        case .sumOfUnknown: _ = dogs.sum(ofProperty: "agee") as Int
        case .unknownSortKey: _ = dogs.sorted(byKeyPath: "agee").count
        case .queryForOthersObject: _ = realm.objects(PortedOwner.self).where { $0.dog == theirs }.count
        case .deleteOthersResults: try realm.write { realm.delete(other.objects(PortedDog.self)) }
        case .deleteOthersObject: try realm.write { realm.delete(theirs) }
        case .addOthersObject: try realm.write { realm.add(theirs) }
        case .nestedWrite: try realm.write { try realm.write {} }
        case .commitOfNothing: try realm.commitWrite()
        case .writeOfFrozen: try realm.freeze().write {}
        case .observeUnmanaged: _ = PortedDog().observe { (_: ObjectChange<PortedDog>) in }
        case .referenceToUnmanaged: _ = ThreadSafeReference(to: PortedDog())
        case .referenceUsedTwice:
            let reference = ThreadSafeReference(to: dog)
            _ = realm.resolve(reference)
            _ = realm.resolve(reference)
        case .embeddedOfAnother: try realm.write { realm.create(PortedOwner.self, value: ["id": 2]).home = owner.home }
        case .unknownName: _ = dog["nope"]
        case .objectOfAnotherClass:
            let toy = try realm.write { realm.create(PortedToy.self) }
            _ = realm.objects(PortedOwner.self).filter("dog == %@", toy).count
        case .objectOfAnotherClassInList:
            let toy = try realm.write { realm.create(PortedToy.self) }
            _ = realm.objects(PortedOwner.self).filter("ANY dogs == %@", toy).count
        case .objectOfAnotherClassAmongSeveral:
            let toy = try realm.write { realm.create(PortedToy.self) }
            _ = realm.objects(PortedOwner.self).filter("dog IN %@", [toy]).count
        case .projectionOfOtherProperty:
            _ = PortedDogProjection(projecting: dog).observe { (_: ObjectChange<PortedDogProjection>) in }
        case .rejectedDefault: _ = PortedStrict().code
        case .rejectedValue: _ = PortedStrict(value: ["code": ""])
        case .subqueryWithoutCollection: _ = dogs.where { ($0.age > 1).count > 0 }
        case .asyncWriteOnPlainThread: realm.writeAsync({})
        case .observeInWrite: try realm.write { _ = dogs.observe { _ in } }
        case .observeFrozen: _ = dogs.freeze().observe { _ in }
        case .frozenObject:
            let frozen = dog.freeze()
            try realm.write { frozen.age = 3 }
        case .cancelOfNothing: realm.cancelWrite()
        case .thawUnmanaged: _ = PortedDog().thaw()
        case .freezeUnmanaged: _ = PortedDog().freeze()
        case .addDeleted:
            try realm.write {
                realm.delete(dog)
                realm.add(dog)
            }
        case .keyWithDollar: try realm.write { owner.counts["$x"] = 1 }
        case .invalidatedResults:
            realm.invalidate()
            _ = dogs.count
        case .freezeUnmanagedList: _ = List<PortedDog>().freeze()
        case .sectionsWithoutOrder: _ = dogs.sectioned(by: \.name, sortDescriptors: [])
        case .twoCollections: _ = realm.objects(PortedOwner.self).where { $0.dogs.age == $0.dogs.age }
        case .refreshFrozen: realm.freeze().autorefresh = true
        }
    }
}

@Suite("Sentences that RealmSwift's users know")
struct PortedSentencesTests {
    @Test("misuse stops the program with its sentence, said once", arguments: KnownMisuse.allCases)
    fileprivate func sentence(_ misuse: KnownMisuse) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [misuse = misuse as KnownMisuse] in
            try misuse.commit()
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.components(separatedBy: misuse.rawValue).count == 2, "\(words.prefix(1000))")
    }

    @Test("a list that nobody has asked for an element stops the program too, once its Realm was invalidated")
    func listOfInvalidatedRealm() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try portedRealm()
            let owner = try realm.write { realm.create(PortedOwner.self, value: ["id": 1]) }
            let dogs = owner.dogs
            realm.invalidate()
            for _ in dogs {}
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains(KnownMisuse.invalidatedResults.rawValue), "\(words.prefix(1000))")
    }
}
