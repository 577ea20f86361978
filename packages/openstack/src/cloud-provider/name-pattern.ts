/**
 * The regular expressions that a Service may give for names of subnets. The cloud provider for OpenStack reads them with Go's engine, whose time is
 * linear whatever a user writes; JavaScript's is not. So they are run here as a set of states: each character of the name visits each state once.
 */
export type NamePattern = (name: string) => boolean

/** States of one pattern: "(a{9}){9}" has 81. More is refused, as Go refuses more than 1000 repetitions. */
const maxStates = 1000
const maxDepth = 100

type State =
  | { readonly kind: "one"; readonly fits: (character: string) => boolean; readonly next: number }
  | { readonly kind: "fork"; readonly next: readonly number[] }
  | { readonly kind: "start" | "end"; readonly next: number }
  | { readonly kind: "match" }

interface Reading {
  readonly text: string
  readonly foldCase: boolean
  readonly states: State[]
  at: number
  /** Copies made of pieces that repeat; also of those without a state, as in "((){999}){999}". */
  copies: number
}

/** From what follows to the first state of a piece: pieces are built from the back, and a piece that is repeated is built again. */
type Piece = (next: number) => number

/** Compiles a pattern that has to fit the whole name. Throws a SyntaxError for what is not understood. */
export function namePattern(text: string): NamePattern {
  const foldCase = text.startsWith("(?i)")
  const reading: Reading = { text, foldCase, states: [{ kind: "match" }], at: foldCase ? 4 : 0, copies: 0 }
  const whole = alternatives(reading, 0)
  if (reading.at < text.length) throw new SyntaxError(`unexpected ${text[reading.at]} at ${reading.at}`)
  const first = whole(0)
  return (name) => matches(reading.states, first, [...(foldCase ? name.toLowerCase() : name)])
}

function matches(states: readonly State[], first: number, name: readonly string[]): boolean {
  let current = reachable(states, [first], 0, name.length)
  for (const [at, character] of name.entries()) {
    const next = [...current].flatMap((index) => {
      const state = states[index]!
      return state.kind === "one" && state.fits(character) ? [state.next] : []
    })
    current = reachable(states, next, at + 1, name.length)
  }
  return current.has(0)
}

/** All states that are reached without reading a character. */
function reachable(states: readonly State[], from: readonly number[], at: number, length: number): ReadonlySet<number> {
  const found = new Set<number>()
  const open = [...from]
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    if (found.has(index)) continue
    found.add(index)
    const state = states[index]!
    if (state.kind === "fork") open.push(...state.next)
    else if ((state.kind === "start" && at === 0) || (state.kind === "end" && at === length)) open.push(state.next)
  }
  return found
}

function add(reading: Reading, state: State): number {
  if (reading.states.length >= maxStates) throw new SyntaxError(`more than ${maxStates} states`)
  return reading.states.push(state) - 1
}

function alternatives(reading: Reading, depth: number): Piece {
  if (depth > maxDepth) throw new SyntaxError(`groups nested deeper than ${maxDepth}`)
  const pieces = [sequence(reading, depth)]
  while (reading.text[reading.at] === "|") {
    reading.at++
    pieces.push(sequence(reading, depth))
  }
  if (pieces.length === 1) return pieces[0]!
  return (next) => add(reading, { kind: "fork", next: pieces.map((piece) => piece(next)) })
}

function sequence(reading: Reading, depth: number): Piece {
  const pieces: Piece[] = []
  while (reading.at < reading.text.length && !"|)".includes(reading.text[reading.at]!)) {
    pieces.push(repeated(reading, single(reading, depth)))
  }
  return (next) => pieces.reduceRight((after, piece) => piece(after), next)
}

/** A piece with the quantifier behind it: "*", "+", "?", "{2}", "{2,}", "{2,5}"; lazy ones match the same names. */
function repeated(reading: Reading, piece: Piece): Piece {
  const quantifier = /(?:([*+?])|\{(\d{1,4})(,?)(\d{0,4})\})\??/y
  quantifier.lastIndex = reading.at
  const [written, sign, low, comma, high] = quantifier.exec(reading.text) ?? []
  if (written === undefined) return piece
  reading.at += written.length
  const min = sign === undefined ? Number(low) : sign === "+" ? 1 : 0
  const bounded = sign === undefined ? comma === "" || high !== "" : sign === "?"
  const max = bounded ? (sign === "?" ? 1 : Number(high || low)) : Number.POSITIVE_INFINITY
  if (min > max || min >= maxStates) throw new SyntaxError(`invalid repetition ${written}`)
  return (next) => {
    let first = max === Number.POSITIVE_INFINITY ? repeat(reading, piece, next) : optional(reading, piece, max - min, next)
    for (let times = 0; times < min; times++) first = copy(reading, piece, first)
    return first
  }
}

/** One more copy of a piece that repeats. */
function copy(reading: Reading, piece: Piece, next: number): number {
  if (++reading.copies > maxStates) throw new SyntaxError(`more than ${maxStates} repetitions`)
  return piece(next)
}

function repeat(reading: Reading, piece: Piece, next: number): number {
  // The fork has to be there before the piece that leads back to it.
  const fork = add(reading, { kind: "fork", next: [next] })
  const first = copy(reading, piece, fork)
  reading.states[fork] = { kind: "fork", next: [first, next] }
  return fork
}

function optional(reading: Reading, piece: Piece, times: number, next: number): number {
  let first = next
  for (let made = 0; made < times; made++) first = add(reading, { kind: "fork", next: [copy(reading, piece, first), next] })
  return first
}

function single(reading: Reading, depth: number): Piece {
  const character = String.fromCodePoint(reading.text.codePointAt(reading.at)!)
  if (character === "(") return group(reading, depth)
  if (character === "[") return characterClass(reading)
  if (character === "\\") return escaped(reading)
  if ("*+?{".includes(character)) throw new SyntaxError(`nothing to repeat before ${character}`)
  reading.at += character.length
  if (character === "^" || character === "$") return (next) => add(reading, { kind: character === "^" ? "start" : "end", next })
  if (character === ".") return one(reading, (found) => found !== "\n")
  const desired = reading.foldCase ? character.toLowerCase() : character
  return one(reading, (found) => found === desired)
}

function one(reading: Reading, fits: (character: string) => boolean): Piece {
  return (next) => add(reading, { kind: "one", fits, next })
}

function group(reading: Reading, depth: number): Piece {
  const opening = /\((?:\?:|\?P?<\w+>)?/y
  opening.lastIndex = reading.at
  reading.at += opening.exec(reading.text)![0].length
  const piece = alternatives(reading, depth + 1)
  if (reading.text[reading.at] !== ")") throw new SyntaxError("a group is not closed")
  reading.at++
  return piece
}

const classes: Readonly<Record<string, RegExp>> = { d: /\d/, D: /\D/, w: /\w/, W: /\W/, s: /\s/, S: /\S/ }

function escaped(reading: Reading): Piece {
  const character = reading.text[reading.at + 1]
  if (character === undefined) throw new SyntaxError("a backslash at the end")
  reading.at += 2
  const known = classes[character]
  if (known !== undefined) return one(reading, (found) => known.test(found))
  if (/\w/.test(character)) throw new SyntaxError(`\\${character} is not known here`)
  return one(reading, (found) => found === character)
}

function characterClass(reading: Reading): Piece {
  const form = /\[(\^?)(\]?(?:[^\]\\[]|\\[^])*)\]/y
  form.lastIndex = reading.at
  const [written, not, inside] = form.exec(reading.text) ?? []
  if (written === undefined || inside === "" || inside === undefined) throw new SyntaxError("a class [...] is not closed")
  reading.at += written.length
  const tests = classMembers(inside)
  return one(reading, (found) => {
    const variants = reading.foldCase ? [found, found.toUpperCase()] : [found]
    return tests.some((test) => variants.some(test)) !== (not === "^")
  })
}

function classMembers(inside: string): ((character: string) => boolean)[] {
  const members = [...inside.matchAll(/(\\[^]|[^])(?:-(\\[^]|[^]))?/gu)]
  return members.map(([, low = "", high]) => {
    const known = classes[low.slice(1)]
    if (low.length === 2 && low.startsWith("\\") && known !== undefined) {
      if (high !== undefined) throw new SyntaxError(`${low} cannot begin a range`)
      return (found: string) => known.test(found)
    }
    const first = withoutBackslash(low)
    const last = high === undefined ? first : withoutBackslash(high)
    if (first > last) throw new SyntaxError(`invalid range ${low}-${high}`)
    return (found: string) => found >= first && found <= last
  })
}

function withoutBackslash(member: string): string {
  return member.length === 2 && member.startsWith("\\") ? member.slice(1) : member
}
