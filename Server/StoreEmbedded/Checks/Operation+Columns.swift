import CausewayModel
import CausewayOperations

extension Operation {
    var isCreate: Bool {
        if case .create = self { true } else { false }
    }

    var isOfText: Bool {
        if case .text = self { true } else { false }
    }

    /// The one property that it is about; nil for a create and a delete.
    var property: String? {
        switch self {
        case .create, .delete: nil
        case .set(_, let field): field.property
        case .list(_, let property, _), .keyed(_, let property, _), .add(_, let property, _),
            .text(_, let property, _):
            property
        }
    }

    /// The columns it writes, without the primary key.
    ///
    /// - Parameter withoutZeros: whether to leave out values that a new object holds anyway.
    func columns(_ plan: ClassPlan, withoutZeros: Bool = false) -> [Int] {
        switch self {
        case .create(_, _, let fields):
            fields.compactMap { field in
                guard let column = plan.columns[field.property], column != plan.primaryKey else { return nil }
                return withoutZeros && field.value == plan.zeroRow[column] ? nil : column
            }
        case .delete, .set, .list, .keyed, .add, .text:
            property.flatMap { plan.columns[$0] }.map { [$0] } ?? []
        }
    }

    /// The values that it stores, by column.
    func values(_ plan: ClassPlan) -> [(column: Int, value: Value)] {
        let named: [(String, Value)] =
            switch self {
            case .create(_, _, let fields): fields.map { ($0.property, $0.value) }
            case .set(_, let field): [(field.property, field.value)]
            case .list(_, let property, .insert(_, _, _, let value)), .list(_, let property, .set(_, let value)):
                [(property, value)]
            case .keyed(_, let property, .put(_, let value)): [(property, value)]
            case .delete, .list, .keyed, .add, .text: []
            }
        return named.compactMap { name, value in plan.columns[name].map { ($0, value) } }
    }
}
