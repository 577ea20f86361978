/**
 * The path of a value from a variable on, such as self, names and @items. It is a slice as Go has them: its parts stand in a storage that doubles
 * when it is full, and where there is room behind them, what is appended is written there. So a path that was appended to twice has two paths behind
 * it that share their last part, and the later one counts for both. Upstream looks sizes up by such paths, and its estimates are those that decide on
 * a definition: in `self.teams.all(t, t.all(k, t[k].all(m, m.startsWith(k))))` the path of t has three parts in a storage of four, and `t[k]` turns the
 * key k into a value.
 */
export class FieldPath {
  /** Shared with the paths that were appended to this one while there was room. */
  private readonly storage: string[]
  private readonly length: number
  /** Invariant: 0 for no path, otherwise the least power of two that is not below the length of the path that made the storage. */
  private readonly capacity: number

  private constructor(storage: string[], length: number, capacity: number) {
    this.storage = storage
    this.length = length
    this.capacity = capacity
  }

  /** The path of what stands nowhere in a variable. */
  static readonly none = new FieldPath([], 0, 0)

  /** Returns the path of a variable. */
  static of(variable: string): FieldPath {
    return FieldPath.none.append(variable)
  }

  /** Returns the path of a part, which is a field, `@items`, `@keys`, `@values` or `@indices`. */
  append(part: string): FieldPath {
    const { storage, length, capacity } = this
    if (length >= capacity) return new FieldPath([...this.parts, part], length + 1, Math.max(1, capacity * 2))
    storage[length] = part
    return new FieldPath(storage, length + 1, capacity)
  }

  /** The parts as they are now: the last ones may be those of a later path. */
  get parts(): readonly string[] {
    return this.storage.slice(0, this.length)
  }
}
