/** Where a file stands in the house. */
export interface Place {
  /** The folder under packages/, when it is in one. */
  readonly room: string | undefined
  /** The folder at the root: packages, tools, tests, benches, examples; "" for a file at the root. */
  readonly top: string
  /** Under packages/<room>/src. */
  readonly source: boolean
  /** A test, a contract suite, or what only they use (a testing/ folder): never published. */
  readonly test: boolean
  readonly generated: boolean
}

export function placeOf(path: string): Place {
  const parts = path.split("/")
  const top = parts.length > 1 ? parts[0]! : ""
  const room = top === "packages" ? parts[1] : undefined
  return {
    top,
    room,
    source: room !== undefined && parts[2] === "src",
    test: /\.(test|contract)\.ts$/.test(path) || parts.indexOf("testing", 3) > 0 || top === "tests",
    generated: parts.includes("generated"),
  }
}

/** What is published and must hold to every rule: sources that are neither tests nor generated. */
export function isOwnSource(path: string): boolean {
  const { source, test, generated } = placeOf(path)
  return source && !test && !generated
}
