import CausewayModel
import Foundation
import Testing

@testable import Causeway

class DiscoveredBase: Object {
    @Persisted(primaryKey: true) var id = 0
    var ignored = "not stored"
    lazy var alsoIgnored = [1, 2, 3]

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class DiscoveredChild: DiscoveredBase {
    @Persisted(indexed: true) var title = "untitled"
    @Persisted private var secret: Double?
    @Persisted var parent: DiscoveredBase?
    @Persisted var tags: List<String?>
    @Persisted var parts: List<DiscoveredPart>
    @Persisted(originProperty: "parent") var heirs: LinkingObjects<DiscoveredHeir>

    override class func propertiesMapping() -> [String: String] { ["title": "stored_title"] }

    var secretIsEmpty: Bool { secret == nil }
}

class DiscoveredHeir: Object {
    @Persisted var parent: DiscoveredChild?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class DiscoveredPart: EmbeddedObject {
    @Persisted var weight = 1.5
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

enum Nesting {
    class DiscoveredNested: Object {
        @Persisted var value = 0
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

class GenericBase<T>: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class DiscoveredOfGeneric: GenericBase<Int> {
    @Persisted var value = 0
}

@Suite("What classes declare")
struct DiscoveryTests {
    @Test("properties come superclass first, with their types, names and flags; everything else is ignored")
    func properties() {
        let model = ObjectModel.of(DiscoveredChild.self)
        #expect(model.properties.map(\.name) == ["id", "title", "secret", "parent", "tags", "parts"])
        #expect(
            model.schema.properties.map(\.name) == ["id", "stored_title", "secret", "parent", "tags", "parts"])
        #expect(model.schema.properties.map(\.type) == [.int, .string, .double, .object, .string, .object])
        #expect(model.schema.properties.map(\.isOptional) == [false, false, true, true, true, false])
        #expect(model.schema.properties.map(\.collection) == [.none, .none, .none, .none, .list, .list])
        #expect(model.primaryKey?.name == "id")
        #expect(model.schema.properties.filter(\.isIndexed).map(\.name) == ["stored_title"])
        #expect(model.inverses.map(\.name) == ["heirs"])
    }

    @Test("every wrapper lies where the runtime says")
    func offsets() {
        for type in [DiscoveredChild.self, DiscoveredPart.self, DiscoveredHeir.self] as [ObjectBase.Type] {
            let model = ObjectModel.of(type)
            let offsets = model.properties.map(\.offset) + model.inverses.map(\.offset)
            #expect(offsets == offsets.sorted() && Set(offsets).count == offsets.count)
        }
        let object = DiscoveredChild()
        object.title = "found by name"
        #expect(object["title"] as? String == "found by name")
        object["title"] = "set by name"
        #expect(object.title == "set by name" && object.secretIsEmpty)
    }

    @Test("classes are found without registration: nested, inherited, of generic bases, local to a function")
    func classes() {
        class Local: Object {
            @Persisted var value = 0
            override class func shouldIncludeInDefaultSchema() -> Bool { false }
        }
        let found = Set(ClassDiscovery.allClasses().map { ObjectIdentifier($0) })
        #expect(found.contains(ObjectIdentifier(DiscoveredChild.self)))
        #expect(found.contains(ObjectIdentifier(DiscoveredPart.self)))
        #expect(found.contains(ObjectIdentifier(Nesting.DiscoveredNested.self)))
        #expect(found.contains(ObjectIdentifier(DiscoveredOfGeneric.self)))
        #expect(found.contains(ObjectIdentifier(Local.self)))
        #expect(!found.contains(ObjectIdentifier(Object.self)))
    }

    @Test("two classes of one name are refused with both named")
    func sameName() throws {
        enum Other {
            class DiscoveredHeir: Object {
                @Persisted var value = 0
                override class func shouldIncludeInDefaultSchema() -> Bool { false }
            }
        }
        let error = #expect(throws: Realm.Error.self) {
            _ = try DeclaredSchema.of([DiscoveredHeir.self, DiscoveredChild.self, Other.DiscoveredHeir.self])
        }
        #expect(error?.message.contains("Type 'DiscoveredHeir' appears more than once in the schema") == true)
    }
}

@Suite("Key paths become names")
struct KeyPathTracingTests {
    @Test("a property, an inherited one, one beyond a link, one inside a list, one beyond an inverse")
    func names() {
        #expect(_name(for: \DiscoveredChild.title) == "title")
        #expect(_name(for: \DiscoveredChild.id) == "id")
        #expect(_name(for: \DiscoveredChild.parent?.id) == "parent.id")
        #expect(_name(for: \DiscoveredChild.parts[0].weight) == "parts.weight")
        #expect(_name(for: \DiscoveredChild.heirs[3].parent?.title) == "heirs.parent.title")
        #expect(_name(for: \DiscoveredChild.tags) == "tags")
    }

    @Test("a name asked for by many threads at once is the same for all")
    func threads() {
        DispatchQueue.concurrentPerform(iterations: 64) { _ in
            #expect(_name(for: \DiscoveredHeir.parent?.parent?.id) == "parent.parent.id")
        }
    }
}
