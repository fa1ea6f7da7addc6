import Causeway
import Foundation
import Testing

@Suite("The settings of an app")
struct AppSettingsTests {
    @Test("a configuration is changed in place, and equal settings are one app")
    func configuration() {
        let configuration = AppConfiguration()
        #expect(configuration.baseURL == nil && configuration.syncTimeouts == nil)
        #expect(configuration.defaultRequestTimeoutMS == 60_000 && configuration.enableSessionMultiplexing)
        configuration.baseURL = "https://localhost:7443"
        configuration.defaultRequestTimeoutMS = 5_000
        let timeouts = SyncTimeoutOptions()
        timeouts.connectTimeout = 1_234
        configuration.syncTimeouts = timeouts
        // What is set is a copy.
        timeouts.connectTimeout = 1
        #expect(configuration.syncTimeouts?.connectTimeout == 1_234)
        configuration.rootDirectory = FileManager.default.temporaryDirectory
        let app = App(id: "settings", configuration: configuration)
        #expect(app == App(id: "settings", configuration: configuration))
        #expect(app.configuration == configuration && app.configuration !== configuration)
        #expect(app.appId == "settings" && app.currentUser == nil)
        configuration.defaultRequestTimeoutMS = 6_000
        #expect(app != App(id: "settings", configuration: configuration))
        #expect(app.configuration.defaultRequestTimeoutMS == 5_000)
    }

    @Test("timeouts have RealmSwift's names and tell what is in force")
    func timeouts() {
        let timeouts = SyncTimeoutOptions()
        #expect(timeouts.connectTimeout == 10_000 && timeouts.connectionLingerTime == 30_000)
        #expect(timeouts.pingKeepalivePeriod == 60_000 && timeouts.pongKeepaliveTimeout == 120_000)
        #expect(timeouts.fastReconnectLimit == 60_000)
        timeouts.connectionLingerTime = 1
        timeouts.pingKeepalivePeriod = 2
        timeouts.pongKeepaliveTimeout = 3
        timeouts.fastReconnectLimit = 4
        let manager = App(
            id: "timeouts", configuration: AppConfiguration(rootDirectory: FileManager.default.temporaryDirectory)
        ).syncManager
        #expect(manager.timeoutOptions == nil)
        manager.timeoutOptions = timeouts
        #expect(manager.timeoutOptions == timeouts)
        #expect(manager.timeoutOptions?.connectionLingerTime == 1 && manager.timeoutOptions?.fastReconnectLimit == 4)
    }
}
