/** The text of an expression with its positions, which count code points as the language defines them. */
export class Source {
  readonly text: string
  /** One string per code point. */
  readonly characters: readonly string[]
  /** Where each line begins. Ascending; the first is 0. */
  private readonly lineStarts: readonly number[]

  constructor(text: string) {
    this.text = text
    this.characters = Array.from(text)
    this.lineStarts = [0, ...this.characters.flatMap((character, index) => (character === "\n" ? [index + 1] : []))]
  }

  /** Returns the line (from 1) and the column (from 0) of a position. */
  location(position: number): Location {
    if (position === noPosition) return nowhere
    // Upstream counts columns of a text without characters from -1, and has no line to show.
    if (this.text === "" || position === beforeText) return { line: 1, column: -1 }
    let line = 1
    while (line < this.lineStarts.length && (this.lineStarts[line] as number) <= position) line++
    return { line, column: position - (this.lineStarts[line - 1] as number) }
  }

  /** Returns the text of a line without its end, or undefined where there is none. */
  line(line: number): string | undefined {
    if (this.text === "" || line < 1 || line > this.lineStarts.length) return undefined
    const end = line < this.lineStarts.length ? (this.lineStarts[line] as number) - 1 : this.characters.length
    return this.characters.slice(this.lineStarts[line - 1], end).join("")
  }
}

/** A place in an expression: line from 1, column from 0, in code points. The column is -1 where there is no character to point at, as in a text without any. */
export interface Location {
  readonly line: number
  readonly column: number
}

/** Where errors of the whole expression are. */
const nowhere: Location = { line: -1, column: -1 }

/** The position of errors that concern the whole expression. */
export const noPosition = -1

/** The position of expressions that recovery from a fault makes up. */
export const beforeText = -2

/** One fault found before evaluation: by the lexer, the parser or the checker. */
export interface Issue {
  readonly message: string
  readonly location: Location
}

/** More faults than this are counted, not listed. */
export const maxListedIssues = 100

/** Lines longer than this are not repeated under an issue. */
const maxSnippetLength = 16_384

/** Collects the faults of one expression and writes them in cel-go's format. */
export class Issues {
  private readonly source: Source
  private readonly found: Issue[] = []
  private count = 0

  constructor(source: Source) {
    this.source = source
  }

  report(position: number, message: string): void {
    this.count++
    if (this.count <= maxListedIssues) this.found.push({ message, location: this.source.location(position) })
  }

  /** Adds the faults that others collected. */
  add(others: Issues): void {
    this.found.push(...others.found.slice(0, maxListedIssues - this.found.length))
    this.count += others.count
  }

  get size(): number {
    return this.count
  }

  /** The faults in the order of their places. */
  list(): readonly Issue[] {
    return this.found.toSorted(({ location: left }, { location: right }) => left.line - right.line || left.column - right.column)
  }

  toString(): string {
    const lines = this.list().map((issue) => displayIssue(issue, this.source))
    if (this.count > maxListedIssues) lines.push(`${this.count - maxListedIssues} more errors were truncated`)
    return lines.join("\n")
  }
}

/** Writes an issue with the line it is on and a marker under its column, wide under characters of several bytes. */
function displayIssue({ message, location }: Issue, source: Source): string {
  const head = `ERROR: <input>:${location.line}:${location.column + 1}: ${message}`
  const snippet = source.line(location.line)?.replaceAll("\t", " ")
  if (snippet === undefined || snippet.length > maxSnippetLength) return head
  const characters = Array.from(snippet)
  const dots = characters.slice(0, Math.max(0, location.column)).map((character) => (isWide(character) ? "\uff0e" : "."))
  const marked = characters[location.column]
  return `${head}\n | ${snippet}\n | ${dots.join("")}${marked !== undefined && isWide(marked) ? "\uff3e" : "^"}`
}

function isWide(character: string): boolean {
  return (character.codePointAt(0) ?? 0) >= 0x80
}
