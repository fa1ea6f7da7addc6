package import CausewayModel

/// What becomes of a property and of its values when it gets another type.
package struct PropertyMapping: Hashable, Sendable {
    /// What becomes of values that do not fit the new type. A null does not fit a required property.
    package enum MisfitRule: Hashable, Sendable {
        /// Nothing is converted.
        case refuse
        case null
        case value(Value)
    }

    package enum Outcome: Hashable, Sendable {
        case fits(Value)
        /// It does not fit, and is replaced as declared.
        case replaced(Value, Misfit)
        case refused(Misfit)
    }

    /// Why there is no such mapping: cause and remedy.
    package struct Refusal: Error, Hashable, Sendable {
        package var message: String
    }

    /// The property as it will be.
    package let property: Property
    private let conversion: ValueConversion
    private let misfits: MisfitRule

    /// The types that an app can index.
    private static let indexed: Set<PropertyType> = [.int, .bool, .string, .date, .objectId, .uuid, .mixed]

    /// - Parameters:
    ///   - property: as it is.
    ///   - isOptional: nil for as it is. Mixed values are always optional.
    package init(
        of property: Property, in className: String, to type: PropertyType, isOptional: Bool?, misfits: MisfitRule
    ) throws(Refusal) {
        let path = "“\(className).\(property.name)”"
        if let reason = property.reasonToStay {
            throw Refusal(
                message:
                    "\(path) is \(reason), which cannot be converted. "
                    + (property.isPrimaryKey
                        ? "Make a class with a new name, copy the objects, and drop this one when no app uses it any more."
                        : "Add a property with a new name, copy the values, and drop this one when no app uses it any "
                            + "more."))
        }
        guard let conversion = ValueConversion(from: property.type, to: type) else {
            throw Refusal(
                message:
                    "\(path) is \(property.type), and no rule makes \(type) of it. Add a property with a new name "
                    + "instead, and have the app fill it.")
        }
        self.conversion = conversion
        self.misfits = misfits
        var wanted = property
        wanted.type = type
        wanted.isOptional = type == .mixed || isOptional ?? property.isOptional
        wanted.isIndexed = property.isIndexed && Self.indexed.contains(type)
        wanted.isFullTextIndexed = property.isFullTextIndexed && type == .string
        guard wanted.type != property.type || wanted.isOptional != property.isOptional else {
            throw Refusal(message: "\(path) is \(wanted.isOptional ? "optional " : "")\(type) already.")
        }
        self.property = wanted
        try checkMisfits(path)
    }

    private func checkMisfits(_ path: String) throws(Refusal) {
        switch misfits {
        case .refuse: return
        case .null:
            guard property.isOptional else {
                throw Refusal(
                    message:
                        "\(path) will be required, so null cannot stand for what does not fit. Declare a default, or "
                        + "make it optional.")
            }
        case .value(let value):
            guard value.type == property.type || property.type == .mixed && value.type != nil else {
                throw Refusal(message: "The default for \(path) is not \(property.type). Declare one of the new type.")
            }
        }
    }

    package func outcome(of value: Value) -> Outcome {
        let fitting = value.isNull ? (property.isOptional ? Value.null : nil) : conversion.converted(value)
        if let fitting { return .fits(fitting.asStored) }
        let reason = Misfit(of: value, in: conversion.source)
        return switch misfits {
        case .refuse: .refused(reason)
        case .null: .replaced(.null, reason)
        case .value(let value): .replaced(value.asStored, reason)
        }
    }
}

extension Property {
    /// What keeps its type from being changed; nil if it may change.
    fileprivate var reasonToStay: String? {
        if isPrimaryKey { return "the primary key" }
        if isCounter { return "a counter" }
        if isText { return "a text whose edits merge" }
        if collection != .none { return "a collection" }
        if type == .object { return "a link or an embedded object" }
        return nil
    }
}
