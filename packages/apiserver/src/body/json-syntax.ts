/**
 * Returns why a text is not JSON, in the words of Go's decoder: they are what users search for.
 * Called only when the engine's own parser has refused the text.
 */
export function jsonSyntaxError(text: string | Uint8Array): string {
  // The decoder sees bytes, and of a character with several it shows the first one as if that were a character.
  const reader = new Reader(Buffer.from(typeof text === "string" ? new TextEncoder().encode(text) : text).toString("latin1"))
  try {
    reader.space()
    reader.value()
    reader.space()
    if (!reader.ended) reader.fail("after top-level value")
  } catch (error) {
    if (error instanceof SyntaxFault) return error.message
    throw error
  }
  return "invalid JSON"
}

class SyntaxFault extends Error {
  override readonly name = "SyntaxFault"
}

type Bracket = "{" | "["

const closing: Readonly<Record<Bracket, string>> = { "{": "}", "[": "]" }

/** Between calls: everything before `#at` is well-formed. */
class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get ended(): boolean {
    return this.#at >= this.#text.length
  }

  space(): void {
    while (" \t\r\n".includes(this.#peek()) && !this.ended) this.#at++
  }

  /** One value with all that is in it. Without calling itself: a text may be nested deeper than the stack is. */
  value(): void {
    const open: Bracket[] = []
    let within = true
    while (within) {
      within = this.#begins(open)
      if (!within) within = this.#continues(open)
    }
  }

  /** Throws: at the end of the text there is no character to blame. */
  fail(context: string): never {
    if (this.ended) throw new SyntaxFault("unexpected end of JSON input")
    throw new SyntaxFault(`invalid character ${quoted(this.#text.charCodeAt(this.#at))} ${context}`)
  }

  #peek(): string {
    return this.#text[this.#at] ?? ""
  }

  /** Where a value begins: true when another one follows inside of it. */
  #begins(open: Bracket[]): boolean {
    const first = this.#peek()
    if (first !== "{" && first !== "[") {
      this.#scalar(first)
      return false
    }
    this.#at++
    this.space()
    if (this.#peek() === closing[first]) {
      this.#at++
      return false
    }
    open.push(first)
    if (first === "{") this.#key()
    return true
  }

  /** Where a value has ended: ends those around it that end there too, and says whether another one follows. */
  #continues(open: Bracket[]): boolean {
    for (let around = open.at(-1); around !== undefined; around = open.at(-1)) {
      if (!this.#closes(closing[around], around === "{" ? "after object key:value pair" : "after array element")) {
        if (around === "{") this.#key()
        return true
      }
      open.pop()
    }
    return false
  }

  #scalar(first: string): void {
    if (first === '"') return this.#string()
    if (first === "-" || isDigit(first)) return this.#number()
    const word = words[first]
    if (word === undefined) this.fail("looking for beginning of value")
    this.#word(word)
  }

  #key(): void {
    if (this.#peek() !== '"') this.fail("looking for beginning of object key string")
    this.#string()
    this.#expect(":", "after object key")
  }

  #expect(character: string, context: string): void {
    this.space()
    if (this.#peek() !== character) this.fail(context)
    this.#at++
    this.space()
  }

  /** After an element: true at the end of the list, false where another follows. */
  #closes(end: string, context: string): boolean {
    this.space()
    if (this.#peek() === end) {
      this.#at++
      return true
    }
    this.#expect(",", context)
    return false
  }

  #string(): void {
    this.#at++
    while (this.#peek() !== '"') {
      if (this.ended || this.#peek() < " ") this.fail("in string literal")
      if (this.#peek() === "\\") this.#escape()
      else this.#at++
    }
    this.#at++
  }

  #escape(): void {
    this.#at++
    const unicode = this.#peek() === "u"
    if (this.ended || !'bfnrt\\/"u'.includes(this.#peek())) this.fail("in string escape code")
    this.#at++
    const digits = unicode ? 4 : 0
    for (let digit = 0; digit < digits; digit++) {
      if (!/^[0-9a-fA-F]$/.test(this.#peek())) this.fail("in \\u hexadecimal character escape")
      this.#at++
    }
  }

  #number(): void {
    if (this.#peek() === "-") this.#at++
    if (this.#peek() === "0") this.#at++
    else this.#digits("in numeric literal")
    if (this.#peek() === ".") {
      this.#at++
      this.#digits("after decimal point in numeric literal")
    }
    if (/^[eE]$/.test(this.#peek())) {
      this.#at++
      if (/^[-+]$/.test(this.#peek())) this.#at++
      this.#digits("in exponent of numeric literal")
    }
  }

  #digits(context: string): void {
    if (!isDigit(this.#peek())) this.fail(context)
    while (isDigit(this.#peek())) this.#at++
  }

  #word(word: string): void {
    for (const [index, letter] of [...word].entries()) {
      if (this.#peek() !== letter) this.fail(index === 0 ? "looking for beginning of value" : `in literal ${word} (expecting '${letter}')`)
      this.#at++
    }
  }
}

const words: Readonly<Record<string, string>> = { t: "true", f: "false", n: "null" }

function isDigit(character: string): boolean {
  return character >= "0" && character <= "9" && character.length === 1
}

function quoted(code: number): string {
  if (code === 39 || code === 92) return `'\\${String.fromCodePoint(code)}'`
  if (code < 32 || code === 0x7f) return shortEscapes[code] ?? `'\\x${code.toString(16).padStart(2, "0")}'`
  // The space that breaks no line and the hyphen that is not seen are not printed either.
  if ((code >= 0x80 && code <= 0xa0) || code === 0xad) return `'\\u${code.toString(16).padStart(4, "0")}'`
  return `'${String.fromCodePoint(code)}'`
}

const shortEscapes = Object.fromEntries([..."abtnvfr"].map((letter, index) => [7 + index, `'\\${letter}'`]))
