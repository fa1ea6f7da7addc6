import CausewayModel

extension Parser {
    /// The shape after `GEOWITHIN`, or after an `IN` that is followed by one; nil where something else stands.
    mutating func shapeAfterOperator() throws(QueryError) -> GeoShape? {
        switch keyword {
        case .geowithin:
            try advance()
            return try shape()
        case .in:
            var ahead = self
            try ahead.advance()
            guard ahead.isAtShape else { return nil }
            self = ahead
            return try shape()
        default: return nil
        }
    }

    /// A comparison whose right side is a shape.
    func within(
        _ shape: GeoShape, _ quantifier: Quantifier, _ left: Expression, at start: Int
    ) throws(QueryError) -> Predicate {
        guard case .path(let path) = left else {
            throw failure(at: start, found: "another operand", expected: "a key path to a point before GEOWITHIN")
        }
        return .geoWithin(GeoWithin(quantifier: quantifier, path, shape))
    }

    private var isAtShape: Bool {
        switch lexeme.token {
        case .placeholder(.next): argument(at: nextArgument)
        case .placeholder(.indexed(let index)): argument(at: index)
        case .word: shapeKeyword != nil
        default: false
        }
    }

    /// Whether the argument is a shape.
    private func argument(at index: Int) -> Bool {
        if arguments.indices.contains(index), case .shape = arguments[index] { true } else { false }
    }

    private var shapeKeyword: Keyword? {
        switch keyword {
        case .geobox, .geocircle, .geopolygon: lexer.peek() == UInt8(ascii: "(") ? keyword : nil
        default: nil
        }
    }

    private mutating func shape() throws(QueryError) -> GeoShape {
        let expected = "geoBox(…), geoCircle(…), geoPolygon(…) or a shape as an argument"
        if case .placeholder(let placeholder) = lexeme.token {
            let start = lexeme.position
            guard case .shape(let shape) = try argument(for: placeholder, at: start) else {
                throw failure(at: start, .argument, found: "another argument", expected: expected)
            }
            try advance()
            return shape
        }
        guard let keyword = shapeKeyword else { throw unexpected(expected) }
        try advance()
        _ = try take(.openParenthesis)
        let shape: GeoShape
        switch keyword {
        case .geobox:
            let southWest = try position()
            guard try take(.comma) else { throw unexpected("',' and the north-eastern corner") }
            shape = .box(southWest: southWest, northEast: try position())
        case .geocircle:
            let center = try position()
            guard try take(.comma) else { throw unexpected("',' and the radius in radians") }
            shape = .circle(center: center, radians: try number())
        default:
            shape = .polygon(try rings())
        }
        guard try take(.closeParenthesis) else { throw unexpected("')'") }
        return shape
    }

    private mutating func rings() throws(QueryError) -> [[GeoPosition]] {
        var rings: [[GeoPosition]] = []
        var count = 0
        repeat {
            guard try take(.openBrace) else {
                throw unexpected("a ring of points such as {[0, 0], [1, 0], [0, 1], [0, 0]}")
            }
            var ring: [GeoPosition] = []
            if try !take(.closeBrace) {
                repeat {
                    guard count < QueryLimits.polygonPoints else {
                        throw failure(
                            at: lexeme.position, .limit, found: "one more point",
                            expected: "a polygon of at most \(QueryLimits.polygonPoints) points")
                    }
                    count += 1
                    ring.append(try position())
                } while try take(.comma)
                guard try take(.closeBrace) else { throw unexpected("',' or '}'") }
            }
            rings.append(ring)
        } while try take(.comma)
        return rings
    }

    /// `[longitude, latitude]`, as in GeoJSON. An altitude may follow and is ignored.
    private mutating func position() throws(QueryError) -> GeoPosition {
        let expected = "a point such as [-122.35, 47.68], the longitude first"
        guard try take(.openBracket) else { throw unexpected(expected) }
        let longitude = try number()
        guard try take(.comma) else { throw unexpected("',' and the latitude") }
        let latitude = try number()
        if try take(.comma) { _ = try number() }
        guard try take(.closeBracket) else { throw unexpected("']'") }
        return GeoPosition(latitude: latitude, longitude: longitude)
    }

    private mutating func number() throws(QueryError) -> Double {
        let start = lexeme.position
        switch try element() {
        case .int(let value): return Double(value)
        case .float(let value): return Double(value)
        case .double(let value): return value
        default: throw failure(at: start, found: "another value", expected: "a number")
        }
    }
}
