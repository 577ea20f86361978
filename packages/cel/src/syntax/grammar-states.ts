/** A sort of token as ANTLR names it: `'('`, `IDENTIFIER`, `<EOF>`. */
export type TokenName = string

/** The names in ANTLR's order, in which messages list them. */
export const tokenNames: readonly TokenName[] = [
  "<EOF>",
  ..."== != in < <= >= > && || [ ] { } ( ) . , - ! ? : + * / % true false null".split(" ").map((text) => `'${text}'`),
  "NUM_FLOAT",
  "NUM_INT",
  "NUM_UINT",
  "STRING",
  "BYTES",
  "IDENTIFIER",
  "ESC_IDENTIFIER",
]

/** Chooses what a decision does, where the next token alone does not say it. */
export interface Choices {
  /** The name of the token at an offset from the next one. */
  look(offset: number): TokenName
  /** How tight the operators of the present rule must bind at least. */
  readonly precedence: number
  /** Says that no alternative fits the tokens up to an offset. */
  noAlternative(offset: number): never
}

/** Decides whether an optional part, or a further item of a repetition, follows. */
export type Enters = (choices: Choices) => boolean

/** Returns the index of the alternative that follows. */
export type Predict = (choices: Choices) => number

/** A place of the grammar. Repetitions and choices are places of their own, because ANTLR recovers there in ways of their own. */
export type State =
  | { readonly kind: "end" }
  | { readonly kind: "token"; readonly names: ReadonlySet<TokenName>; readonly next: State }
  | { readonly kind: "rule"; readonly rule: string; readonly precedence: number; readonly next: State }
  | { readonly kind: "choice"; readonly alternatives: readonly State[]; readonly predict: Predict | undefined }
  | { readonly kind: "optional"; readonly body: State; readonly next: State }
  | { readonly kind: "repetition"; body: State; readonly next: State; readonly enters: Enters | undefined }
  | { readonly kind: "repetition-end"; readonly repetition: State & { readonly kind: "repetition" } }
  | { readonly kind: "series"; readonly body: State }
  | { readonly kind: "series-end"; body: State; readonly next: State; readonly enters: Enters | undefined }

/** A part of a rule: makes the places of the part in front of a place. */
export type Part = (next: State) => State

export const end: State = { kind: "end" }

export function token(...texts: readonly string[]): Part {
  const names = new Set(texts.map((text) => (/^[A-Z_]+$/.test(text) || text === "<EOF>" ? text : `'${text}'`)))
  return (next) => ({ kind: "token", names, next })
}

export function rule(name: string, precedence = 0): Part {
  return (next) => ({ kind: "rule", rule: name, precedence, next })
}

export function sequence(...parts: readonly Part[]): Part {
  return (next) => parts.reduceRight((state, part) => part(state), next)
}

export function optional(part: Part): Part {
  return (next) => ({ kind: "optional", body: part(next), next })
}

export function choice(alternatives: readonly Part[], predict?: Predict): Part {
  return (next) => ({ kind: "choice", alternatives: alternatives.map((part) => part(next)), predict })
}

/** Any number of items. */
export function repetition(item: Part, enters?: Enters): Part {
  return (next) => {
    const state: Extract<State, { kind: "repetition" }> = { kind: "repetition", body: end, next, enters }
    state.body = item({ kind: "repetition-end", repetition: state })
    return state
  }
}

/** At least one item. */
export function series(item: Part, enters?: Enters): Part {
  return (next) => {
    const back: Extract<State, { kind: "series-end" }> = { kind: "series-end", body: end, next, enters }
    back.body = item(back)
    return { kind: "series", body: back.body }
  }
}
