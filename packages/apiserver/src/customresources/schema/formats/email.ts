import { isStrictIp } from "./network.ts"

/**
 * Whether a text is one address of RFC 5322 as Go's mail.ParseAddress takes it: "a@example.com", "Name <a@example.com>", "Group:
 * a@example.com;".
 */
export function isEmail(text: string): boolean {
  const scanner = new EmailScanner(text)
  return scanner.address(true) === 1 && scanner.skipComments() && scanner.isAtEnd
}

/** Reads an address from the left. A method that fails may have read a part of what it looked for. */
class EmailScanner {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length
  }

  /** How many addresses there are, which is not one only in a group; undefined where there is none. */
  address(mayBeGroup: boolean): number | undefined {
    this.#skipSpace()
    if (this.isAtEnd) return undefined
    const start = this.#at
    if (this.#addressSpec()) {
      this.#skipSpace()
      return this.#peek() !== "(" || this.#comment() ? 1 : undefined
    }
    this.#at = start
    if (this.#peek() !== "<" && !this.#phrase()) return undefined
    this.#skipSpace()
    if (mayBeGroup && this.#take(":")) return this.#group()
    return this.#take("<") && this.#addressSpec() && this.#take(">") ? 1 : undefined
  }

  /** White space and comments. False for a comment that does not end. */
  skipComments(): boolean {
    this.#skipSpace()
    while (this.#peek() === "(") {
      if (!this.#comment()) return false
      this.#skipSpace()
    }
    return true
  }

  #group(): number | undefined {
    this.#skipSpace()
    if (this.#take(";")) return this.skipComments() ? 0 : undefined
    let count = 0
    for (;;) {
      const found = this.address(false)
      if (found === undefined || !this.skipComments()) return undefined
      count += found
      if (this.#take(";")) return this.skipComments() ? count : undefined
      if (!this.#take(",")) return undefined
    }
  }

  #addressSpec(): boolean {
    this.#skipSpace()
    const hasLocal = this.#peek() === '"' ? (this.#quoted() ?? 0) > 0 : this.#dotAtom()
    if (!hasLocal || !this.#take("@")) return false
    this.#skipSpace()
    return this.#peek() === "[" ? this.#domainLiteral() : this.#dotAtom()
  }

  /** One or more words, which a name is made of. */
  #phrase(): boolean {
    let words = 0
    for (;;) {
      if (words > 0 && !this.skipComments()) return false
      this.#skipSpace()
      if (this.isAtEnd) return words > 0
      const start = this.#at
      const isWord = this.#peek() === '"' ? this.#quoted() !== undefined : this.#atom() !== ""
      if (!isWord) {
        this.#at = start
        return words > 0
      }
      words++
    }
  }

  /** The length of what is in quotes; undefined where they are not closed or hold what they must not. */
  #quoted(): number | undefined {
    let length = 0
    for (let at = this.#at + 1; at < this.#text.length; at++) {
      const character = this.#text[at]!
      if (character === '"') {
        this.#at = at + 1
        return length
      }
      if (character === "\\") at++
      const inner = this.#text[at]
      if (inner === undefined || !(isVisible(inner) || isSpace(inner))) return undefined
      length++
    }
    return undefined
  }

  #dotAtom(): boolean {
    const atom = this.#atom()
    return atom !== "" && !atom.startsWith(".") && !atom.endsWith(".") && !atom.includes("..")
  }

  #atom(): string {
    const start = this.#at
    while (!this.isAtEnd && isAtomCharacter(this.#text[this.#at]!)) this.#at++
    return this.#text.slice(start, this.#at)
  }

  #domainLiteral(): boolean {
    const end = this.#text.indexOf("]", this.#at)
    if (end === -1) return false
    const literal = this.#text.slice(this.#at + 1, end)
    this.#at = end + 1
    return isStrictIp(literal)
  }

  /** Comments nest; a backslash takes the next character with it. */
  #comment(): boolean {
    let depth = 0
    do {
      if (this.isAtEnd) return false
      const character = this.#text[this.#at]!
      if (character === "\\" && this.#at + 1 < this.#text.length) this.#at++
      else if (character === "(") depth++
      else if (character === ")") depth--
      this.#at++
    } while (depth > 0)
    return true
  }

  #peek(): string | undefined {
    return this.#text[this.#at]
  }

  #take(character: string): boolean {
    const isThere = this.#peek() === character
    if (isThere) this.#at++
    return isThere
  }

  #skipSpace(): void {
    while (!this.isAtEnd && isSpace(this.#text[this.#at]!)) this.#at++
  }
}

function isSpace(character: string): boolean {
  return character === " " || character === "\t"
}

function isVisible(character: string): boolean {
  return (character >= "!" && character <= "~") || character >= "\u0080"
}

function isAtomCharacter(character: string): boolean {
  return isVisible(character) && !'()<>[]:;@\\,"'.includes(character)
}
