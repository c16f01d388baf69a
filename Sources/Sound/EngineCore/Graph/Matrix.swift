/// A matrix of gains, [row][column], row-major.
struct Matrix {
    let rows: Int
    let columns: Int
    private(set) var gains: [Float]

    init(rows: Int, columns: Int) {
        self.init(rows: rows, columns: columns, gains: Array(repeating: 0, count: rows * columns))
    }

    init(rows: Int, columns: Int, gains: [Float]) {
        precondition(gains.count == rows * columns, "a matrix has rows times columns gains")
        self.rows = rows
        self.columns = columns
        self.gains = gains
    }

    static func identity(_ size: Int) -> Matrix { selection(Array(0..<size), columns: size) }

    /// The matrix whose row i is column `map[i]`, or silent if there is no such column.
    static func selection(_ map: [Int], columns: Int) -> Matrix {
        var matrix = Matrix(rows: map.count, columns: columns)
        for (row, column) in map.enumerated() where (0..<columns).contains(column) {
            matrix.gains[row * columns + column] = 1
        }
        return matrix
    }

    func row(_ index: Int) -> ArraySlice<Float> { gains[index * columns..<(index + 1) * columns] }

    mutating func add(_ other: Matrix, atRow first: Int) {
        precondition(other.columns == columns && first + other.rows <= rows, "the added matrix fits in")
        for index in other.gains.indices { gains[first * columns + index] += other.gains[index] }
    }

    func scaled(by gain: Float) -> Matrix { Matrix(rows: rows, columns: columns, gains: gains.map { $0 * gain }) }

    func scaled(rowsBy factors: [Float]) -> Matrix {
        Matrix(
            rows: rows, columns: columns,
            gains: gains.enumerated().map { $0.element * factors[$0.offset / max(1, columns)] })
    }

    /// The product: `other` is applied first, then this matrix.
    func times(_ other: Matrix) -> Matrix {
        precondition(columns == other.rows, "matrices are multiplied where one's columns are the other's rows")
        var product = Matrix(rows: rows, columns: other.columns)
        for row in 0..<rows {
            for inner in 0..<columns {
                let gain = gains[row * columns + inner]
                guard gain != 0 else { continue }
                for column in 0..<other.columns {
                    product.gains[row * other.columns + column] += gain * other.gains[inner * other.columns + column]
                }
            }
        }
        return product
    }
}
