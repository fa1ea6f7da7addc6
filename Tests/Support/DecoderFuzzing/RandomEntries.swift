import CausewayConversion
package import CausewayJournal
import CausewayModel
import CausewayOperations
import CausewayQuery
import CausewaySeeds
package import CausewayStore

/// Draws entries of the journal, of every kind.
package struct RandomEntries {
    private var random: SeededNumbers

    package init(seed: UInt64) { random = SeededNumbers(seed: seed) }

    package mutating func entry() throws -> JournalEntry {
        JournalEntry(oldestGeneration: number(), incarnation: random.next(), body: try body())
    }

    private mutating func number() -> UInt64 { random.next() >> UInt64(random.below(64)) }

    private mutating func client() -> ClientID { ClientID(random.next()) }

    private mutating func text() -> String { random.one(of: ["", "a", "é", "e\u{301}", "Item", "a longer name", "🛶"]) }

    private mutating func body() throws -> JournalEntry.Body {
        switch random.below(10) {
        case 0: return .commit(try commit())
        case 1: return .ingest(JournalEntry.Ingest(batch: try oneWay(), time: number()))
        case 2:
            return .register(
                JournalEntry.Registration(
                    client: client(), user: text(),
                    standing: DeviceStanding(
                        oldest: number(), oldestOneWay: number(), acknowledged: number(), predecessor: client())))
        case 3: return .extendSchema(declaration())
        case 4: return .requireSchema(declaration())
        case 5: return .settings(settings())
        case 6: return .maintain(time: number())
        case 7: return .act(act())
        case 8: return .keeping(keeping())
        default: return .generation(number())
        }
    }

    private mutating func keeping() -> KeepingWork {
        switch random.below(4) {
        case 0: return .keepOrder
        case 1: return .lift(above: number())
        case 2:
            let names = Set((0..<random.below(4)).map { _ in ExactString(text()) })
            let due = DueArrivals(
                through: number(), ageMinMilliseconds: number(), classes: random.once(in: 3) ? nil : names)
            return .remove(due, time: number(), after: number(), countMax: random.below(10_000))
        default: return .savePosition(random.bytes(random.below(20)), name: text())
        }
    }

    private mutating func act() -> OperatorAct {
        let subject = random.one(of: [ShutOut.Subject.user(ExactString(text())), .client(client())])
        switch random.below(5) {
        case 0: return .drop(className: text(), property: random.once(in: 2) ? text() : nil)
        case 1:
            return .convert(
                PropertyConversion(
                    text(), text(), to: random.one(of: PropertyType.allCases),
                    isOptional: random.one(of: [nil, true, false]),
                    misfits: random.one(of: [.refuse, .null, .value(.null), .value(.string(text())), .value(.int(-1))]))
            )
        case 2: return .forget(client())
        case 3: return .shutOut(ShutOut(subject, since: number(), note: random.once(in: 2) ? text() : nil))
        default: return .letIn(subject)
        }
    }

    private mutating func commit() throws -> JournalEntry.Commit {
        var batches: [UploadBatch] = []
        let permissions = [nil, try self.permissions(), try self.permissions()]
        for _ in 0..<random.below(4) {
            let client = client()
            var changesets: [Changeset] = []
            for _ in 0..<random.below(3) {
                var changeset = Changeset(
                    client: client, sequence: number(), stamp: Stamp(time: number(), client: client),
                    base: ServerVersion(number()), operations: operations())
                (changeset.opening, changeset.run) = (number(), number())
                changesets.append(changeset)
            }
            batches.append(
                UploadBatch(
                    client: client, user: text(), permissions: random.one(of: permissions), changesets: changesets,
                    call: random.once(in: 3) ? terms() : nil))
        }
        let shortage = StorageShortage(usedMebibytes: number(), mebibytesMax: number())
        return JournalEntry.Commit(batches: batches, time: number(), shortage: random.once(in: 2) ? shortage : nil)
    }

    private mutating func oneWay() throws -> OneWayBatch {
        OneWayBatch(
            client: client(), user: text(), permissions: random.once(in: 2) ? try permissions() : nil, first: number(),
            entries: (0..<random.below(3)).map { _ in operations() }, opening: number())
    }

    private mutating func operations() -> [Operation] {
        (0..<random.below(4)).map { _ in
            let target = ObjectReference("Item", .string(text()))
            return switch random.below(3) {
            case 0: .create(target, life: 1, fields: [FieldValue("n", .int(Int64(random.below(9))))])
            case 1: .set(target, FieldValue("note", .string(text())))
            default: .delete(target, life: 2)
            }
        }
    }

    private mutating func terms() -> CallTerms {
        let object = ObjectReference("Item", .int(7))
        return CallTerms(
            expectations: random.once(in: 2) ? [.life(object, 3), .untouched(object)] : [],
            receipt: random.once(in: 2)
                ? CallTerms.Receipt(
                    key: CallKey(user: text(), key: text()), fingerprint: number(), answer: random.bytes(5))
                : nil)
    }

    /// Among them what no text of a rule can say: a claim that the caller lacks.
    package mutating func permissions() throws -> Permissions {
        let texts = [
            "n < 4", "NOT note CONTAINS[cd] 'x' OR n IN {1, 2}",
            "ANY tags.name == 'a' AND place GEOWITHIN geoCircle([1, 2], 0.5)",
            "SUBQUERY(tags, $x, $x.n > 1.25).@count > 0", "n + 2 * n == 8", "m['key'][0] == 3", "d == 0.1",
            "m.@keys == 'k' AND l[FIRST] == 2", "n BETWEEN {1, 3}", "l.@max > 4",
        ]
        var byClass: [String: AccessRules.OfClass] = [:]
        for name in ["Item", "Shop"] where random.once(in: 2) {
            let rule = AccessRules.Rule.when(try Predicate.parse(random.one(of: texts)))
            let claim = Predicate.comparison(Comparison(.path(PropertyPath(["n"])), .equal, .claim(random.below(3))))
            byClass[name] = AccessRules.OfClass(
                read: rule, create: .never, write: .when(.not(claim)), delete: random.one(of: [.always, .never, rule]),
                properties: ["note": AccessRules.OfProperty(read: rule, write: .never)])
        }
        return Permissions(AccessRules(byClass: byClass, mayExtendSchema: random.once(in: 2)))
    }

    private mutating func declaration() -> JournalEntry.Declaration {
        let properties = [
            Property(name: "_id", type: .int, isPrimaryKey: true),
            Property(name: "note", type: .string, isOptional: true, isIndexed: true, isFullTextIndexed: true),
            Property(name: "count", type: .int, isCounter: true),
            Property(name: "shops", type: .object, collection: .list, target: "Shop", deletionRule: .cascade),
            Property(name: "body", type: .string, isText: true),
        ]
        let classes = ["Shop", "Item", "Address"].map { name in
            ClassSchema(
                name: name, kind: random.one(of: [.object, .embedded, .asymmetric]),
                properties: Array(properties.prefix(random.below(6))))
        }
        return JournalEntry.Declaration(
            wanted: Schema(classes), declarer: random.once(in: 2) ? Declarer(user: text(), time: number()) : nil)
    }

    private mutating func settings() -> RecordSettings {
        func count() -> Int { random.below(1 << 40) }
        return RecordSettings(
            historyVersionsMax: number(), historyBytesMax: number(), historyAgeMaxMilliseconds: number(),
            editedBytesMin: count(), refusalBytesMax: number(), toldRefusalBytesMax: number(), refusalsMax: count(),
            pastEntriesMax: count(), ruleElementsMax: count(), receiptsMax: number(),
            receiptAgeMaxMilliseconds: number(),
            schemaBounds: SchemaBounds(
                classes: count(), properties: count(), classesOfUser: count(), propertiesOfUser: count()),
            clientDaysMax: number(), objectsOfUserMax: random.once(in: 2) ? count() : nil)
    }
}
