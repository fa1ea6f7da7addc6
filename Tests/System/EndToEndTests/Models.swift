import Causeway

final class Item: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var quantity: Int
    @Persisted var next: Item?
    @Persisted var parts: List<Item>
}

final class Reading: AsymmetricObject {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var celsius: Double
}
