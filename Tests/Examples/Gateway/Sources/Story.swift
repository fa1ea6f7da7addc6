import RealmSwift

/// Three days without a connection, and the return. Returns how large the file was when it held all readings. The
/// gateway's Realm is closed then, so that it can start again.
@MainActor
func threeDays(_ device: Realm.Configuration, _ office: BackOffice) async throws -> Int {
    print("The gateway starts")
    let gateway = try await Collector(configuration: device)
    try await gateway.obey()
    let emptyBytes = try gateway.realm.statistics().sizeBytes
    print("   its file takes \(emptyBytes >> 10) KiB")

    print("It has no connection for three days")
    gateway.loseConnection()
    let monday = Date(timeIntervalSince1970: 1_767_571_200)
    for hour in 0..<72 { try gateway.readHour(from: monday + TimeInterval(3_600 * hour)) }
    let fullBytes = try gateway.realm.statistics().sizeBytes
    print("   \(gateway.readings) readings wait in its file, which takes \(fullBytes >> 10) KiB")
    try check(gateway.hoursMissed == 0 && fullBytes <= Collector.bytesMax, "there was room for every hour")

    print("Meanwhile the back office changes how the boiler is read")
    let before = office.readings
    try office.set("boiler", interval: 60, limit: 75)
    try await office.realm.settle()

    print("The gateway connects")
    try await gateway.send()
    try await gateway.obey()
    try await office.realm.settle()
    try check(office.readings - before == gateway.readings, "the back office counts as many readings")
    try check(office.isObeyed, "the back office sees that its settings are in force")
    return fullBytes
}
