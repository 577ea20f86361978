/** Characters that are made in one turn of the event loop: some 10 ms of work. */
const charactersPerTurn = 64 * 1024
/** Levels of a value that are written member by member; what is deeper is small. */
const levels = 2

/**
 * A value as JSON, written in turns, so that a large page does not hold up the streams. Iterables are lists whose members are made when they are written.
 * Undefined where it takes more than `limit` bytes.
 */
export async function jsonInTurns(value: unknown, limit = Number.POSITIVE_INFINITY): Promise<Uint8Array | undefined> {
  const written: Buffer[] = []
  let bytes = 0
  let text = ""
  const flush = () => {
    const chunk = Buffer.from(text)
    text = ""
    bytes += chunk.length
    written.push(chunk)
  }
  for (const piece of pieces(value, "", levels)) {
    text += piece
    if (text.length < charactersPerTurn) continue
    flush()
    if (bytes > limit) return undefined
    await new Promise<void>((resolve) => void setImmediate(resolve))
  }
  text += "\n"
  flush()
  return bytes > limit ? undefined : Buffer.concat(written)
}

/** As JSON.stringify with an indentation of two. */
function* pieces(value: unknown, indent: string, depth: number): Iterable<string> {
  if (depth === 0 || typeof value !== "object" || value === null) yield whole(value, indent)
  else if (Symbol.iterator in value) yield* members("[]", listed(value as Iterable<unknown>), indent, depth)
  else yield* members("{}", named(value), indent, depth)
}

type Member = readonly [before: string, value: unknown]

function* listed(values: Iterable<unknown>): Iterable<Member> {
  for (const value of values) yield ["", value]
}

function* named(value: object): Iterable<Member> {
  for (const [key, member] of Object.entries(value)) if (member !== undefined) yield [`${JSON.stringify(key)}: `, member]
}

function* members(brackets: "[]" | "{}", all: Iterable<Member>, indent: string, depth: number): Iterable<string> {
  const inner = `${indent}  `
  let isFirst = true
  for (const [before, value] of all) {
    yield `${isFirst ? brackets[0] : ","}\n${inner}${before}`
    yield* pieces(value, inner, depth - 1)
    isFirst = false
  }
  yield isFirst ? brackets : `\n${indent}${brackets[1]}`
}

function whole(value: unknown, indent: string): string {
  return (JSON.stringify(value, undefined, 2) ?? "null").replaceAll("\n", `\n${indent}`)
}
