import RealmSwift

/// Stands for the hardware: each sensor is coldest at midnight, and 30 degrees warmer at noon.
func measure(_ sensor: String, at time: Date) -> Double {
    let hour = time.timeIntervalSince1970.truncatingRemainder(dividingBy: 86_400) / 3_600
    let atMidnight: [String: Double] = ["boiler": 55, "cellar": 5, "roof": 10]
    let fromNoon: Double = abs(hour - 12)
    return (atMidnight[sensor] ?? 0) + 30 * (1 - fromNoon / 12)
}
