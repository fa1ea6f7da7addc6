/// Sine, cosine and arc tangent from nothing but `+ - * /` and the square root.
///
/// IEEE 754 defines the results of these five to the last bit, while `sin` differs from one C library to the next. A
/// device and a server of different make must agree on every point [I9], so these functions use nothing else.
enum Trigonometry {
    /// The sine and the cosine of an angle in degrees. Exact at every multiple of a right angle.
    static func sineAndCosine(degrees: Double) -> (sine: Double, cosine: Double) {
        // Whole right angles are taken off in degrees, where that loses nothing.
        let quarters = (degrees / 90).rounded()
        let rest = (degrees - quarters * 90) * (.pi / 180)
        let (sine, cosine) = (sine(rest), cosine(rest))
        switch Int(quarters) & 3 {
        case 0: return (sine, cosine)
        case 1: return (cosine, -sine)
        case 2: return (-sine, -cosine)
        default: return (-cosine, sine)
        }
    }

    /// The sine of an angle from 0 to half a turn.
    static func sine(radians: Double) -> Double {
        // Folded into the first quarter, and there into its nearer half.
        let angle = radians > .pi / 2 ? .pi - radians : radians
        return angle > .pi / 4 ? cosine(.pi / 2 - angle) : sine(angle)
    }

    /// The angle of a direction, between minus and plus half a turn.
    static func arcTangent(_ y: Double, _ x: Double) -> Double {
        if x == 0, y == 0 { return 0 }
        let (high, low) = (max(abs(x), abs(y)), min(abs(x), abs(y)))
        var angle = arcTangent(low / high)
        if abs(y) > abs(x) { angle = .pi / 2 - angle }
        if x < 0 { angle = .pi - angle }
        return y < 0 ? -angle : angle
    }

    // Taylor series, as far as a Double can tell within an eighth of a turn.

    private static func sine(_ x: Double) -> Double {
        let square = x * x
        var sum = 1.0
        for n in stride(from: 18.0, through: 2, by: -2) { sum = 1 - square / (n * (n + 1)) * sum }
        return x * sum
    }

    private static func cosine(_ x: Double) -> Double {
        let square = x * x
        var sum = 1.0
        for n in stride(from: 19.0, through: 1, by: -2) { sum = 1 - square / (n * (n + 1)) * sum }
        return sum
    }

    /// The arc tangent of a number from 0 to 1. Halving the angle three times makes it small enough for a short series.
    private static func arcTangent(_ number: Double) -> Double {
        var tangent = number
        for _ in 0..<3 { tangent /= 1 + (1 + tangent * tangent).squareRoot() }
        let square = tangent * tangent
        var sum = 0.0
        for n in stride(from: 21.0, through: 1, by: -2) { sum = 1 / n - square * sum }
        return 8 * tangent * sum
    }
}
