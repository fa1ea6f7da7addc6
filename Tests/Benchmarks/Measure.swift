/// Keeps the optimiser from dropping a result that nothing reads.
@inline(never)
func consume<Value>(_ value: Value) {}
