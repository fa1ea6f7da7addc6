import CausewayModel
import CausewayOperations

// The checks of `OperationCheck` for a create, made on the columns of many creates.

extension OperationCheck {
    /// The columns of a run's fields; nil unless every one of its creates passes for certain. What does not pass here
    /// is checked create by create, which also tells the reason.
    ///
    /// Objects with parts in rows of their own are not created this way. Nor are those of a class with mixed values,
    /// which may have such parts.
    func columns(of run: CreationRun, _ plan: ClassPlan) -> [Int]? {
        guard !isOneWay, plan.travelsInColumns,
            let primaryKey = plan.primaryKey, fits(run.keys, plan.schema.properties[primaryKey])
        else { return nil }
        var columns: [Int] = []
        for field in run.fields {
            guard let column = plan.columns[field.property], column != primaryKey, !columns.contains(column),
                plan.schema.properties[column].isField, fits(field.values, plan, column)
            else { return nil }
            columns.append(column)
        }
        return columns
    }

    private func fits(_ values: SparseColumn, _ plan: ClassPlan, _ column: Int) -> Bool {
        let property = plan.schema.properties[column]
        if values.present == .nulls || values.arePresent != nil {
            guard property.isOptional || property.type == .object else { return false }
        }
        switch (values.present, property.type) {
        case (.nulls, _), (.bools, .bool), (.ints, .int), (.floats, .float), (.doubles, .double),
            (.wholeDoubles, .double), (.strings, .string), (.dictionary, .string), (.bytes, .data),
            (.timestamps, .date), (.objectIds, .objectId), (.uuids, .uuid), (.decimals, .decimal128):
            return true
        case (.links(let keys), .object):
            return plan.targetKeys[column].map { fits(keys, $0) } ?? false
        case (.same(.link(let key)), .object):
            return plan.targetKeys[column].map { fits(KeyColumn([key]), $0) } ?? false
        case (.same(.bool), .bool), (.same(.int), .int), (.same(.float), .float), (.same(.double), .double),
            (.same(.string), .string), (.same(.bytes), .data), (.same(.timestamp), .date),
            (.same(.objectId), .objectId), (.same(.uuid), .uuid), (.same(.decimal), .decimal128):
            return true
        default:
            return false
        }
    }

    private func fits(_ keys: KeyColumn, _ property: Property) -> Bool {
        switch (keys, property.type) {
        case (.ints, .int), (.objectIds, .objectId), (.uuids, .uuid): true
        case (.strings(let texts), .string): texts.allSatisfy { $0.utf8.count <= Self.keyBytesMax }
        case (.dictionary(let texts), .string): texts.distinct.allSatisfy { $0.utf8.count <= Self.keyBytesMax }
        default: false
        }
    }
}
