import CausewayModel
import CausewayOperations
import CausewayStore

// What a caller may do, as it was when the caller sent something: rules with claims put in. A replica binds them to the
// schema that it has at the entry.

extension ByteWriter {
    mutating func write(_ rules: AccessRules) {
        write(flag: rules.mayExtendSchema)
        write(rules.otherwise)
        write(count: rules.byClass.count)
        for (name, ofClass) in rules.byClass.sorted(by: { $0.key.precedes($1.key) }) {
            write(string: name)
            write(ofClass)
        }
    }

    private mutating func write(_ rules: AccessRules.OfClass) {
        for rule in [rules.read, rules.create, rules.write, rules.delete] { write(rule) }
        write(count: rules.properties.count)
        for (name, ofProperty) in rules.properties.sorted(by: { $0.key.precedes($1.key) }) {
            write(string: name)
            write(ofProperty.read)
            write(ofProperty.write)
        }
    }

    private mutating func write(_ rule: AccessRules.Rule) {
        switch rule {
        case .always: write(byte: 0)
        case .never: write(byte: 1)
        case .when(let predicate):
            write(byte: 2)
            write(predicate)
        }
    }
}

extension ByteReader {
    mutating func readRules() throws(EncodingError) -> AccessRules {
        var rules = AccessRules(mayExtendSchema: try readFlag())
        rules.otherwise = try readRulesOfClass()
        var last: String?
        for _ in 0..<(try readCount(minimumBytesEach: 6)) {
            let name = try readName(after: &last)
            rules.byClass[name] = try readRulesOfClass()
        }
        return rules
    }

    /// - Throws: also for names that Unicode takes for equal, which are one key of a dictionary.
    private mutating func readName(after last: inout String?) throws(EncodingError) -> String {
        let name = try readString()
        guard last.map({ $0.precedes(name) && $0 != name }) ?? true else { throw malformed("names are not in order") }
        last = name
        return name
    }

    private mutating func readRulesOfClass() throws(EncodingError) -> AccessRules.OfClass {
        let (read, create) = (try readRule(), try readRule())
        let (write, delete) = (try readRule(), try readRule())
        var rules = AccessRules.OfClass(read: read, create: create, write: write, delete: delete)
        var last: String?
        for _ in 0..<(try readCount(minimumBytesEach: 3)) {
            let name = try readName(after: &last)
            let read = try readRule()
            rules.properties[name] = AccessRules.OfProperty(read: read, write: try readRule())
        }
        return rules
    }

    private mutating func readRule() throws(EncodingError) -> AccessRules.Rule {
        let tag = try readByte()
        switch tag {
        case 0: return .always
        case 1: return .never
        case 2: return .when(try readPredicate())
        default: throw malformed("\(tag) is no kind of rule")
        }
    }
}
