import { ruleStarts } from "./grammar.ts"
import type { Choices, State, TokenName } from "./grammar-states.ts"
import type { Token } from "./lexer.ts"
import type { RuleMatch } from "./match-faults.ts"
import { accepts, type Caller, expected, listed, recoverySet } from "./next-tokens.ts"
import { type Issues, noPosition } from "./source.ts"

/** How often a parse recovers from a fault before it gives up. */
const maxRecoveries = 30

/** How many tokens one recovery skips. */
const maxSkipped = 256

/**
 * Reports every fault of a text that is no expression, as ANTLR's parser finds them: it goes on after a fault by leaving out a token, by adding one, or by
 * skipping to what can follow. It is used for wrong texts only; the parser stops at the first fault and has no words for it.
 * Returns what the text matches all the same; undefined if recovery gives up.
 */
export function reportSyntaxFaults(tokens: readonly Token[], issues: Issues, maxRecursion: number): RuleMatch | undefined {
  const recognizer = new Recognizer(tokens, issues, maxRecursion)
  try {
    return recognizer.recognize()
  } catch (error) {
    if (error instanceof GiveUp) return undefined
    throw error
  }
}

/** Ends the present rule. */
class Mismatch extends Error {
  readonly report: () => void

  constructor(report: () => void) {
    super()
    this.report = report
  }
}

/** Ends the whole. */
class GiveUp extends Error {}

const namedKinds: Readonly<Record<string, TokenName>> = {
  identifier: "IDENTIFIER",
  escaped: "ESC_IDENTIFIER",
  int: "NUM_INT",
  uint: "NUM_UINT",
  double: "NUM_FLOAT",
  string: "STRING",
  bytes: "BYTES",
  end: "<EOF>",
}

function nameOf({ kind, text }: Token): TokenName {
  return namedKinds[kind] ?? `'${text}'`
}

/** A match to which parts are added. */
interface OpenMatch extends RuleMatch {
  readonly parts: (Token | RuleMatch)[]
}

/** A rule that is under way. */
interface Frame {
  readonly name: string
  readonly precedence: number
  readonly caller: Caller | undefined
  /** Where it goes on. */
  state: State
  readonly match: OpenMatch
  readonly outer: Frame | undefined
}

/**
 * One pass over the tokens. Invariant: `next` is the first token that is not consumed; the end is never consumed.
 * Rules that are under way are kept in a list of their own: a text must not decide how deep this program nests.
 */
class Recognizer {
  private readonly tokens: readonly Token[]
  private readonly issues: Issues
  private readonly maxRecursion: number
  private next = 0
  private frame: Frame | undefined
  private state: State = ruleStarts.get("start") as State
  /** From a reported fault until a token matches; faults in between are not reported. */
  private recovering = false
  private recoveries = 0
  /** Where recovery was last, and at which places of the grammar. */
  private lastFault: { readonly at: number; readonly states: Set<State> } | undefined
  private readonly depths = new Map<string, number>()

  constructor(tokens: readonly Token[], issues: Issues, maxRecursion: number) {
    this.tokens = tokens
    this.issues = issues
    this.maxRecursion = maxRecursion
  }

  recognize(): RuleMatch {
    const whole = this.enter("start", 0, undefined)
    while (this.frame) this.advance(this.frame)
    return whole
  }

  private enter(name: string, precedence: number, caller: Caller | undefined): RuleMatch {
    const depth = (this.depths.get(name) ?? 0) + 1
    if (depth > this.maxRecursion) this.giveUp(noPosition, `expression recursion limit exceeded: ${this.maxRecursion}`)
    this.depths.set(name, depth)
    const match: OpenMatch = { rule: name, start: this.token(0), parts: [] }
    this.frame?.match.parts.push(match)
    this.frame = { name, precedence, caller, state: ruleStarts.get(name) as State, match, outer: this.frame }
    return match
  }

  private leave({ name, outer }: Frame): void {
    this.depths.set(name, (this.depths.get(name) ?? 1) - 1)
    this.frame = outer
  }

  private advance(frame: Frame): void {
    const { state, caller } = frame
    this.state = state
    if (state.kind === "end") return this.leave(frame)
    if (state.kind === "rule") {
      frame.state = state.next
      this.enter(state.rule, state.precedence, { follow: state.next, caller })
      return
    }
    try {
      frame.state = this.step(state)
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error
      this.recover(error)
      this.leave(frame)
    }
  }

  private step(state: Exclude<State, { readonly kind: "end" | "rule" }>): State {
    switch (state.kind) {
      case "token":
        this.match(state)
        return state.next
      case "choice":
        this.synchronize(state)
        return state.alternatives[this.predict(state)] as State
      case "optional":
        this.synchronize(state)
        return this.isNext(state.body) ? state.body : state.next
      case "series":
        this.synchronize(state)
        return state.body
      case "repetition-end":
        this.resynchronize(state)
        return this.continued(state.repetition)
      case "series-end":
        this.resynchronize(state)
        return this.continued(state)
      case "repetition":
        this.synchronize(state)
        return this.continued(state)
    }
  }

  private continued(state: State & { readonly kind: "repetition" | "series-end" }): State {
    const enters = state.enters ? state.enters(this.choices()) : this.isNext(state.body)
    return enters ? state.body : state.next
  }

  private predict({ alternatives, predict }: State & { readonly kind: "choice" }): number {
    if (predict) return predict(this.choices())
    const index = alternatives.findIndex((alternative) => this.isNext(alternative))
    return index >= 0 ? index : this.noAlternative(0)
  }

  private isNext(state: State): boolean {
    return expected(state, undefined).has(this.name(0))
  }

  private choices(): Choices {
    return {
      look: (offset) => this.name(offset),
      precedence: this.frame?.precedence ?? 0,
      noAlternative: (offset) => this.noAlternative(offset),
    }
  }

  private noAlternative(offset: number): never {
    const text = quoted(this.textUpTo(offset))
    const last = this.token(offset)
    throw new Mismatch(() => this.report(last, `no viable alternative at input ${text}`))
  }

  /** The text from the next token to one behind it, without what is no token. */
  private textUpTo(offset: number): string {
    if (this.token(0).kind === "end") return this.token(0).text
    const texts = this.tokens.slice(this.next, this.next + offset + 1).map(({ kind, text, hidden }, index) => {
      return `${index === 0 ? "" : hidden}${kind === "end" ? "" : text}`
    })
    return texts.join("")
  }

  private token(offset: number): Token {
    return this.tokens[Math.min(this.next + offset, this.tokens.length - 1)] as Token
  }

  private name(offset: number): TokenName {
    return nameOf(this.token(offset))
  }

  private match(state: State & { readonly kind: "token" }): void {
    if (state.names.has(this.name(0))) {
      this.matched()
      return this.take()
    }
    this.countRecovery()
    if (this.leftOut()) return this.take()
    if (!expected(state.next, this.frame?.caller).has(this.name(0))) throw this.mismatch()
    this.reportMissing()
    this.frame?.match.parts.push(missingToken(state.names, this.token(0)))
  }

  private take(): void {
    this.frame?.match.parts.push(this.token(0))
    this.consume()
  }

  private matched(): void {
    this.recovering = false
    this.lastFault = undefined
  }

  private consume(): void {
    if (this.token(0).kind !== "end") this.next++
  }

  /** Leaves out the next token if the one after it is expected. */
  private leftOut(): boolean {
    if (!expected(this.state, this.frame?.caller).has(this.name(1))) return false
    this.reportUnwanted()
    this.consume()
    this.matched()
    return true
  }

  /** Before a choice: a token that none of it can begin with is left out, or ends the rule. */
  private synchronize(state: State): void {
    if (this.recovering || accepts(state, this.name(0)) || this.leftOut()) return
    throw this.mismatch()
  }

  /** After an item of a repetition: tokens are skipped up to one that can follow. */
  private resynchronize(state: State): void {
    if (this.recovering || accepts(state, this.name(0))) return
    this.reportUnwanted()
    const following = new Set([...expected(state, this.frame?.caller), ...recoverySet(this.frame?.caller)])
    while (this.name(0) !== "<EOF>" && !following.has(this.name(0))) this.consume()
  }

  private mismatch(): Mismatch {
    const [token, words] = [this.token(0), listed(expected(this.state, this.frame?.caller))]
    return new Mismatch(() => this.report(token, `mismatched input ${quoted(token.text)} expecting ${words}`))
  }

  private reportUnwanted(): void {
    const token = this.token(0)
    if (!this.recovering)
      this.report(token, `extraneous input ${quoted(token.text)} expecting ${listed(expected(this.state, this.frame?.caller))}`)
  }

  private reportMissing(): void {
    const token = this.token(0)
    if (!this.recovering) this.report(token, `missing ${listed(expected(this.state, this.frame?.caller))} at ${quoted(token.text)}`)
  }

  private report({ position }: Token, message: string): void {
    this.recovering = true
    const words = message.replace(/no viable alternative at input '.(true|false|null)'/u, "mismatched input '$1' expecting IDENTIFIER")
    this.issues.report(position, `Syntax error: ${words}`)
  }

  /** Ends a rule after a fault: skips to what one of its callers can continue with. */
  private recover({ report }: Mismatch): void {
    if (!this.recovering) report()
    this.countRecovery()
    const { state } = this
    let skipped = 0
    if (this.lastFault?.at === this.next && this.lastFault.states.has(state)) skipped = this.skip(skipped)
    const states = this.lastFault?.states ?? new Set()
    this.lastFault = { at: this.next, states: states.add(state) }
    const following = recoverySet(this.frame?.caller)
    while (this.name(0) !== "<EOF>" && !following.has(this.name(0))) skipped = this.skip(skipped)
  }

  private skip(skipped: number): number {
    if (skipped >= maxSkipped) this.giveUp(noPosition, `error recovery token lookahead limit exceeded: ${maxSkipped}`)
    this.consume()
    return skipped + 1
  }

  private countRecovery(): void {
    if (this.recoveries === maxRecoveries) {
      this.giveUp(this.token(0).position, `Syntax error: error recovery attempt limit exceeded: ${maxRecoveries}`)
    }
    this.recoveries++
  }

  private giveUp(position: number, message: string): never {
    this.issues.report(position, message)
    throw new GiveUp()
  }
}

/** Stands for a token that recovery adds. */
function missingToken(names: ReadonlySet<TokenName>, { position }: Token): Token {
  const [name = ""] = names
  return { kind: name === "IDENTIFIER" ? "identifier" : "symbol", text: name.replaceAll("'", ""), position, hidden: "" }
}

/** Line breaks and tabs are written as escapes. */
function quoted(text: string): string {
  return `'${text.replaceAll("\t", "\\t").replaceAll("\n", "\\n").replaceAll("\r", "\\r")}'`
}
