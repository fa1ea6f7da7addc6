package import CausewayAdmin
package import CausewayObjectStore

extension AdminError {
    package init(_ error: StoreError) { self.init(.serverFault, error.message) }

    /// Does what may find a file damaged, or a disk gone.
    package static func reporting<Value>(
        _ body: () throws(StoreError) -> Value
    ) throws(AdminError) -> Value {
        do throws(StoreError) {
            return try body()
        } catch {
            throw AdminError(error)
        }
    }
}
