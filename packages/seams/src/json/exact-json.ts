// Kubernetes integers have 64 bits, JavaScript's numbers 53. Whatever reads or writes the JSON of Kubernetes objects does it here.

const maxInt64 = 2n ** 63n - 1n
const minInt64 = -(2n ** 63n)

/** Reports whether an integer fits the 64 bits that Go's int64 has. */
export function fitsInt64(value: bigint): boolean {
  return value <= maxInt64 && value >= minInt64
}

/**
 * A number in the form that it has in memory everywhere: an integer of int64 is a bigint if and only if it is not a safe integer, and every other
 * number is a `number`. So one value has one form, and `===` and the keys of a Map tell values apart. An integer beyond int64 is the nearest double, as
 * in Go's untyped decoder. -0 is 0.
 */
export function exactNumber(value: number | bigint): number | bigint {
  if (typeof value === "bigint") return isSafe(value) || !fitsInt64(value) ? Number(value) : value
  if (Number.isSafeInteger(value)) return value + 0
  if (!Number.isInteger(value) || Math.abs(value) > 2 ** 63) return value
  // The integer that JSON writes for it, not that of all its bits: 2 ** 60 is …7000 there, and so it comes back.
  const written = BigInt(String(value))
  return fitsInt64(written) ? written : value
}

function isSafe(value: bigint): boolean {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) && value >= BigInt(Number.MIN_SAFE_INTEGER)
}

/** How integers beyond int64 are parsed. */
export interface ParseJsonOptions {
  /**
   * What becomes of an integer beyond int64: the nearest double ("number", the default), or a bigint of up to 400 digits, for a reader that refuses it
   * and names it in full. Such a bigint breaks the rule of `exactNumber` and must not get past that reader.
   */
  readonly beyondInt64?: "number" | "bigint"
}

/**
 * JSON.parse with exact integers (see `exactNumber`). Takes as long as JSON.parse plus a few percent; where the text has an integer of 16 or more digits
 * it is read once more to find the places, which takes about as long again.
 */
export function parseJson(text: string, { beyondInt64 = "number" }: ParseJsonOptions = {}): unknown {
  const value: unknown = JSON.parse(text)
  return mayHaveLongInteger(text) ? withExactIntegers(text, value, beyondInt64) : value
}

/** JSON.stringify that writes bigints as numbers, with all their digits. Undefined for what JSON leaves out: undefined, functions, symbols. */
export function stringifyJson(value: unknown, space?: string | number): string {
  try {
    return JSON.stringify(value, undefined, space)
  } catch {
    // A bigint is in it, which is rare; anything else that cannot be written throws again.
    return JSON.stringify(value, rawInteger, space)
  }
}

/** Not in TypeScript's library yet. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown }

function rawInteger(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? rawJSON(String(value)) : value
}

/** The digits of 2^53: a shorter integer is a safe one. */
const longDigits = 16

/**
 * Reports whether a text may have an integer of so many digits outside of its strings. Looks at every 16th character only, since so long a run of digits covers
 * one of them: 2.5 ms for 17 MB, a fifth of what a regular expression takes.
 */
function mayHaveLongInteger(text: string): boolean {
  for (let at = longDigits - 1; at < text.length; at += longDigits) {
    if (!isDigit(text.charCodeAt(at))) continue
    let from = at
    while (isDigit(text.charCodeAt(from - 1))) from--
    let to = at + 1
    while (isDigit(text.charCodeAt(to))) to++
    if (to - from >= longDigits && isValueStart(text, from)) return true
    // No digit is at `to`: the next run of 16 covers the character 16 behind it.
    at = to
  }
  return false
}

/** Reports whether a value can begin at the digits: behind a colon, a comma, a bracket, white space, or at the beginning of the text. */
function isValueStart(text: string, digits: number): boolean {
  const start = text.charCodeAt(digits - 1) === minus ? digits - 1 : digits
  const before = text.charCodeAt(start - 1)
  return start === 0 || before === colon || before === comma || before === openList || before <= space
}

const [quote, comma, minus, colon, openList, backslash, closeList, openMap, closeMap] = Array.from('",-:[\\]{}', (one) => one.charCodeAt(0))
const space = 0x20

/** An object or list that is open at some place of a text. */
interface Container {
  readonly around: Container | undefined
  readonly isList: boolean
  /** Of the item that is being read. */
  index: number
  /** Where the key of the field that is being read begins and ends, quotes included. */
  keyStart: number
  keyEnd: number
  atKey: boolean
  /** What JSON.parse has made of it, once it was looked for; null where that is no container. */
  value?: object | null
}

/** Puts the exact integers of a text into the value that JSON.parse has made of it: the text is well-formed, so only its structure is followed. */
function withExactIntegers(text: string, root: unknown, beyondInt64: "number" | "bigint"): unknown {
  let within: Container | undefined
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === quote) at = readString(text, at, within)
    else if (code === minus || isDigit(code)) {
      const end = numberEnd(text, at)
      const exact = end - at < longDigits ? undefined : exactLiteral(text.slice(at, end), beyondInt64)
      if (exact !== undefined && within === undefined) return exact
      if (exact !== undefined && within !== undefined) put(text, root, within, exact)
      at = end
    } else {
      within = containerAfter(code, within)
      at++
    }
  }
  return root
}

/** The container that is open behind a character outside of strings and numbers. */
function containerAfter(code: number, within: Container | undefined): Container | undefined {
  if (code === openMap || code === openList) {
    return { around: within, isList: code === openList, index: 0, keyStart: 0, keyEnd: 0, atKey: code === openMap }
  }
  if (code === closeMap || code === closeList) return within?.around
  if (code === comma && within !== undefined) {
    within.index++
    within.atKey = !within.isList
  }
  return within
}

/** Returns where the string ends. A key is remembered by its place: most are never looked at. */
function readString(text: string, start: number, within: Container | undefined): number {
  let end = text.indexOf('"', start + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  if (within?.atKey) {
    within.keyStart = start
    within.keyEnd = end + 1
    within.atKey = false
  }
  return end + 1
}

/** Behind an odd number of backslashes: two of them are one that is written. */
function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text.charCodeAt(first - 1) === backslash) first--
  return (at - first) % 2 === 1
}

function numberEnd(text: string, start: number): number {
  let end = start + 1
  while (end < text.length && isOfNumber(text.charCodeAt(end))) end++
  return end
}

/** Digits and ".eE+-". */
function isOfNumber(code: number): boolean {
  return isDigit(code) || code === 0x2e || (code | 0x20) === 0x65 || code === minus || code === 0x2b
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

/** Undefined for what JSON.parse has read correctly: fractions, exponents, safe integers, and integers beyond int64 where they are doubles. */
function exactLiteral(literal: string, beyondInt64: "number" | "bigint"): bigint | undefined {
  // Making a bigint takes more than linear time in its digits, so that there are bounds on them. 19 are int64's.
  const max = beyondInt64 === "bigint" ? 400 : 20
  if (literal.length > max || !/^-?\d+$/.test(literal)) return undefined
  const value = BigInt(literal)
  return isSafe(value) || (beyondInt64 === "number" && !fitsInt64(value)) ? undefined : value
}

/** Sets what is being read in a container. */
function put(text: string, root: unknown, within: Container, value: bigint): void {
  const holder = valueOf(text, root, within)
  const key = keyIn(text, within)
  // Of a key that is there twice JSON.parse has kept the last, which need not be this one.
  const kept = holder !== null && Object.hasOwn(holder, key) ? holder[key] : undefined
  if (holder !== null && (typeof kept === "number" || typeof kept === "bigint") && Number(kept) === Number(value)) holder[key] = value
}

type Holder = Record<string | number, unknown>

/** Looks for each container once, from the innermost that is known: a text is followed in linear time however deep it is. */
function valueOf(text: string, root: unknown, container: Container): Holder | null {
  const unknown: Container[] = []
  let known: Container | undefined = container
  for (; known !== undefined && known.value === undefined; known = known.around) unknown.push(known)
  for (let one = unknown.pop(); one !== undefined; one = unknown.pop()) {
    const { around } = one
    const inner: unknown = around === undefined ? root : around.value && (around.value as Holder)[keyIn(text, around)]
    one.value = typeof inner === "object" ? inner : null
  }
  return (container.value ?? null) as Holder | null
}

function keyIn(text: string, { isList, index, keyStart, keyEnd }: Container): string | number {
  return isList ? index : (JSON.parse(text.slice(keyStart, keyEnd)) as string)
}

/** Sets a field of a JSON object. An assignment of "__proto__" would change the prototype, and JSON may hold a field of that name. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
  else target[key] = value
}
