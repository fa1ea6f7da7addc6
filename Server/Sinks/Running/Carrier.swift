/// Work that goes on for as long as the server runs. It ends when its task is cancelled.
package protocol Carrier: Sendable {
    var state: CarrierState { get }
    func run() async
}
