import CausewayModel
import Foundation

/// Since which arrival a sink takes each class. What arrived before was never carried, and so is not removed either.
struct TakenClasses: Hashable, Sendable {
    /// The classes that have a number of their own.
    private(set) var named: ExactDictionary<UInt64> = [:]
    /// For all others; nil where the sink takes named classes only.
    private(set) var others: UInt64?

    /// Nil for a class that the sink does not take.
    func since(_ className: String) -> UInt64? { named[className] ?? others }

    /// What follows when a sink is opened.
    ///
    /// - Parameters:
    ///   - known: how it was when the sink was open last; nil when nobody noted it.
    ///   - classes: those that it takes from now on; nil is every class.
    ///   - position: how far the sink is. One that has nothing yet takes every class from the beginning.
    init(after known: TakenClasses?, _ classes: Set<ExactString>?, at position: UInt64) {
        let known = position == 0 ? nil : known
        if let classes {
            for name in classes { named[name.string] = known?.since(name.string) ?? position }
        } else {
            named = known?.named ?? [:]
            others = known?.others ?? position
        }
    }
}

// MARK: - As it is saved

extension TakenClasses {
    private struct Saved: Codable {
        /// A list, because names are told apart by their bytes.
        var classes: [Class]
        var others: UInt64?

        struct Class: Codable {
            var name: String
            var since: UInt64
        }
    }

    /// Nil for a text that is none.
    init?(_ text: String) {
        guard let saved = try? JSONDecoder().decode(Saved.self, from: Data(text.utf8)) else { return nil }
        for known in saved.classes { named[known.name] = known.since }
        others = saved.others
    }

    var text: String {
        let classes = named.map { Saved.Class(name: $0.key, since: $0.value) }.sorted { $0.since < $1.since }
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            return String(decoding: try encoder.encode(Saved(classes: classes, others: others)), as: UTF8.self)
        } catch {
            preconditionFailure("Names and numbers cannot be written as JSON: \(error)")
        }
    }
}
