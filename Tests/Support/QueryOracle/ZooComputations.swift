import CausewayModel
import CausewayQuery
import CausewaySeeds

/// Arithmetic over the zoo: own columns, links, counts, elements of lists and mixed values, on both sides.
extension ZooHistory {
    mutating func computation(on className: String) -> BoundComputation {
        let properties = Zoo.schema[className]?.properties ?? []
        let list = properties.indices.filter {
            properties[$0].collection == .list && (properties[$0].type == .int || properties[$0].type == .double)
        }
        var elements: BoundPath?
        if !list.isEmpty, numbers.once(in: 4) {
            let index = numbers.one(of: list)
            elements = BoundPath(steps: [
                numbers.once(in: 3) ? mixedStep(isToMany: true) : Self.step(className, index, properties[index])
            ])
        }
        let hasElements = elements != nil
        // Every other computation is of columns of ints and doubles alone, which is done for whole leaves.
        let isSimple = numbers.once(in: 2)
        let left = BoundArithmetic.operation(
            hasElements ? .element : operand(className, isSimple), sign(), arithmetic(className, isSimple, depth: 2))
        let right: BoundComputation.Right
        let comparator = numbers.one(of: [
            Comparator.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .in, .between,
        ])
        switch comparator {
        case .in: right = .list((0..<numbers.below(4)).map { _ in numbers.once(in: 5) ? .null : number(isSimple) })
        case .between: right = .list([number(isSimple), number(isSimple)])
        default: right = .one(arithmetic(className, isSimple, depth: 1))
        }
        return BoundComputation(
            quantifier: hasElements ? numbers.one(of: [.any, .all, .none]) : .implied, left, comparator, right,
            elements: elements)
    }

    private mutating func sign() -> ArithmeticOperator { numbers.one(of: [.plus, .minus, .times, .divided]) }

    private mutating func arithmetic(_ className: String, _ isSimple: Bool, depth: Int) -> BoundArithmetic {
        if depth == 0 || numbers.once(in: 2) { return operand(className, isSimple) }
        return .operation(
            arithmetic(className, isSimple, depth: depth - 1), sign(), arithmetic(className, isSimple, depth: depth - 1)
        )
    }

    private mutating func operand(_ className: String, _ isSimple: Bool) -> BoundArithmetic {
        let properties = Zoo.schema[className]?.properties ?? []
        let types: [PropertyType] = isSimple ? [.int, .float, .double] : [.int, .float, .double, .decimal128]
        switch numbers.below(isSimple ? 4 : 8) {
        case 0: return .value(number(isSimple))
        case 4:
            guard let link = properties.firstIndex(where: { $0.target == "Keeper" && $0.collection == .none }),
                let keeper = Zoo.schema["Keeper"], let rank = keeper.index(of: "rank")
            else { return .value(.null) }
            return .path(
                BoundPath(steps: [
                    Self.step(className, link, properties[link]), Self.step("Keeper", rank, keeper.properties[rank]),
                ]))
        case 5:
            guard let list = properties.firstIndex(where: { $0.collection == .list }) else { return .value(.int(2)) }
            return .path(BoundPath(steps: [Self.step(className, list, properties[list])], aggregate: .count))
        case 6 where className == "Animal": return .path(BoundPath(steps: [mixedStep(isToMany: false)]))
        default:
            let columns = properties.indices.filter {
                properties[$0].collection == .none && types.contains(properties[$0].type)
            }
            let column = numbers.one(of: columns)
            return .path(BoundPath(steps: [Self.step(className, column, properties[column])]))
        }
    }

    private mutating func number(_ isSimple: Bool) -> Value {
        switch numbers.below(isSimple ? 5 : 6) {
        case 0: .double(Double(numbers.below(40)) / 4 - 2)
        case 1: .float(Float(numbers.below(9)) / 2)
        case 2: .int(numbers.one(of: [.min, .max, -1]))
        case 5: .decimal(DecimalNumber(Int64(numbers.below(40))) / DecimalNumber(4))
        default: .int(Int64(numbers.below(12)) - 2)
        }
    }
}
