import Causeway
import Foundation
import Testing

// Classes that no Realm can have. None of them is in a default schema.

class Refused: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class RefusedPart: EmbeddedObject {
    @Persisted var weight = 0
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class RefusedOther: Refused {
    @Persisted var number = 0
}

enum RefusedModels {
    class Empty: Refused {}

    class BesidePersisted: Refused {
        @Persisted var number = 0
        let names = List<String>()
        let weight = RealmProperty<Double?>()
    }

    class IgnoredBesidePersisted: Refused {
        @Persisted var number = 0
        let names = List<String>()
        override class func ignoredProperties() -> [String] { ["names"] }
    }

    class DoubleKey: Refused {
        @Persisted var weight = 0.0
        override class func primaryKey() -> String? { "weight" }
    }

    class ListKey: Refused {
        @Persisted var names: List<String>
        override class func primaryKey() -> String? { "names" }
    }

    class TwoKeys: Refused {
        @Persisted(primaryKey: true) var first = 0
        @Persisted(primaryKey: true) var second = 0
    }

    class IndexedDouble: Refused {
        @Persisted var weight = 0.0
        override class func indexedProperties() -> [String] { ["weight"] }
    }

    class IndexedList: Refused {
        @Persisted var names: List<String>
        override class func indexedProperties() -> [String] { ["names"] }
    }

    class RequiredLink: Refused {
        @Persisted var other: RefusedOther
    }

    class RequiredPart: Refused {
        @Persisted var part: RefusedPart
    }

    class OptionalLinks: Refused {
        @Persisted var others: List<RefusedOther?>
    }

    class OptionalSetLinks: Refused {
        @Persisted var others: MutableSet<RefusedOther?>
    }

    class PartSet: Refused {
        @Persisted var parts: MutableSet<RefusedPart>
    }

    class RequiredMapLinks: Refused {
        @Persisted var others: Map<String, RefusedOther>
    }

    class TwiceStored: Refused {
        @Persisted var first = 0
        @Persisted var second = 0
        override class func propertiesMapping() -> [String: String] { ["first": "second"] }
    }

    class StoredAsNothing: Refused {
        @Persisted var first = 0
        override class func propertiesMapping() -> [String: String] { ["first": ""] }
    }

    class Private: Refused {
        @Persisted private var secret = 0
    }

    class PrivateAgain: Private {
        @Persisted private var secret = 0
    }

    class NoOrigin: Refused {
        @Persisted var number = 0
        @Persisted(originProperty: "others") var owners: LinkingObjects<RefusedOther>
    }

    class NumberOrigin: Refused {
        @Persisted var number = 0
        @Persisted(originProperty: "number") var owners: LinkingObjects<RefusedOther>
    }

    class OtherOrigin: Refused {
        @Persisted var other: RefusedOther?
        @Persisted(originProperty: "other") var owners: LinkingObjects<OtherOrigin>
    }

    class KeyedPart: EmbeddedObject {
        @Persisted(primaryKey: true) var id = 0
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class PartOwner: Refused {
        @Persisted var part: KeyedPart?
    }

    class Link: Refused {
        @Persisted var other: RefusedOther?
    }

    enum Twin {
        class RefusedOther: Refused {
            @Persisted var number = 0
        }
    }
}

@Suite("Classes that cannot be stored are refused, each with its sentence")
struct RefusedModelTests {
    struct Row: CustomTestStringConvertible {
        let sentence: String
        let types: [ObjectBase.Type]
        var testDescription: String { sentence }

        init(_ sentence: String, _ types: ObjectBase.Type...) {
            self.sentence = sentence
            self.types = types
        }
    }

    static let rows: [Row] = [
        Row("No properties are defined for 'Empty'.", RefusedModels.Empty.self),
        Row("Property 'BesidePersisted.names' would not be stored", RefusedModels.BesidePersisted.self),
        Row("Property 'BesidePersisted.weight' would not be stored", RefusedModels.BesidePersisted.self),
        Row(
            "Property 'weight' cannot be made the primary key of 'DoubleKey' because it is not a 'string', 'int', "
                + "'objectId', or 'uuid' property.", RefusedModels.DoubleKey.self),
        Row("Property 'names' cannot be made the primary key of 'ListKey'", RefusedModels.ListKey.self),
        Row(
            "Properties 'first' and 'second' are both marked as the primary key of 'TwoKeys'.",
            RefusedModels.TwoKeys.self),
        Row("Property 'IndexedDouble.weight' of type 'double' cannot be indexed.", RefusedModels.IndexedDouble.self),
        Row("Property 'IndexedList.names' of type 'array' cannot be indexed.", RefusedModels.IndexedList.self),
        Row(
            "Object property 'other' must be marked as optional.", RefusedModels.RequiredLink.self, RefusedOther.self),
        Row("Object property 'part' must be marked as optional.", RefusedModels.RequiredPart.self, RefusedPart.self),
        Row(
            "Property 'OptionalLinks.others' cannot be made optional because optional 'object' properties are not "
                + "supported.", RefusedModels.OptionalLinks.self, RefusedOther.self),
        Row(
            "Property 'OptionalSetLinks.others' cannot be made optional because optional 'object' properties are not "
                + "supported.", RefusedModels.OptionalSetLinks.self, RefusedOther.self),
        Row(
            "Set property 'PartSet.parts' cannot be of embedded object type 'RefusedPart'.",
            RefusedModels.PartSet.self, RefusedPart.self),
        Row(
            "Property 'RequiredMapLinks.others' of type 'dictionary' must be optional",
            RefusedModels.RequiredMapLinks.self, RefusedOther.self),
        Row(
            "Property 'second' appears more than once in the schema for type 'TwiceStored'.",
            RefusedModels.TwiceStored.self),
        Row("Property 'StoredAsNothing.first' has no name", RefusedModels.StoredAsNothing.self),
        Row(
            "Property 'secret' appears more than once in the schema for type 'PrivateAgain'.",
            RefusedModels.PrivateAgain.self),
        Row(
            "Property 'RefusedOther.others' declared as origin of linking objects property 'NoOrigin.owners' does not "
                + "exist.", RefusedModels.NoOrigin.self, RefusedOther.self),
        Row(
            "Property 'RefusedOther.number' declared as origin of linking objects property 'NumberOrigin.owners' is "
                + "not a link.", RefusedModels.NumberOrigin.self, RefusedOther.self),
        Row(
            "Property 'OtherOrigin.other' declared as origin of linking objects property 'OtherOrigin.owners' links to "
                + "type 'RefusedOther'.", RefusedModels.OtherOrigin.self, RefusedOther.self),
        Row(
            "Embedded object type 'KeyedPart' cannot have a primary key.", RefusedModels.KeyedPart.self,
            RefusedModels.PartOwner.self),
        Row("Property 'Link.other' of type 'object' has unknown object type 'RefusedOther'.", RefusedModels.Link.self),
        Row(
            "Type 'RefusedOther' appears more than once in the schema", RefusedOther.self,
            RefusedModels.Twin.RefusedOther.self),
        Row(
            "Property 'Link.other' of type 'object' has unknown object type 'RefusedOther'.", RefusedModels.Link.self,
            RefusedModels.Twin.RefusedOther.self),
    ]

    @Test("a collection of the older style beside @Persisted is taken when it is ignored by name")
    func ignored() throws {
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString, objectTypes: [RefusedModels.IgnoredBesidePersisted.self]))
        #expect(realm.schema["IgnoredBesidePersisted"]?.properties.map(\.name) == ["number"])
    }

    @Test("by opening a Realm", arguments: rows)
    func opening(_ row: Row) {
        let error = #expect(throws: Realm.Error.self) {
            _ = try Realm(
                configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: row.types))
        }
        #expect(error?.code == .fail)
        #expect(error?.message.contains("- " + row.sentence) == true, "\(error?.message ?? "")")
    }

    @Test("all that is wrong is said at once")
    func allAtOnce() {
        let error = #expect(throws: Realm.Error.self) {
            _ = try Realm(
                configuration: Realm.Configuration(
                    inMemoryIdentifier: UUID().uuidString,
                    objectTypes: [RefusedModels.Empty.self, RefusedModels.TwoKeys.self]))
        }
        #expect(error?.message.components(separatedBy: "\n- ").count == 3)
    }

    @Test("an embedded class that nobody embeds is of no use, and no mistake in a local Realm")
    func orphan() throws {
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString, objectTypes: [RefusedPart.self, RefusedOther.self]))
        #expect(realm.schema["RefusedPart"]?.isEmbedded == true)
    }

    @Test("a primary key that does not exist stops the program")
    func missingKey() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            class Keyless: Refused {
                @Persisted var number = 0
                override class func primaryKey() -> String? { "id" }
            }
            _ = Keyless.sharedSchema()
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("Primary key property 'id' does not exist on object 'Keyless'"))
    }
}
