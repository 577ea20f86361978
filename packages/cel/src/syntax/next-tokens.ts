import { ruleStarts } from "./grammar.ts"
import { type State, type TokenName, tokenNames } from "./grammar-states.ts"

/** Stands for the end of the rule in a set of names. */
const ruleEnd: TokenName = ""

/** Where a rule continues that invoked another; the outermost is undefined. */
export interface Caller {
  readonly follow: State
  readonly caller: Caller | undefined
}

const known = new Map<State, ReadonlySet<TokenName>>()

/** Returns what can come next at a place, up to the end of its rule. */
function nextInRule(state: State): ReadonlySet<TokenName> {
  const found = known.get(state)
  if (found) return found
  const names = new Set<TokenName>()
  collect(state, names, new Set())
  known.set(state, names)
  return names
}

function collect(state: State, names: Set<TokenName>, visited: Set<State>): void {
  if (visited.has(state)) return
  visited.add(state)
  const into = (...states: readonly State[]): void => {
    for (const one of states) collect(one, names, visited)
  }
  switch (state.kind) {
    case "end":
      names.add(ruleEnd)
      return
    case "token":
      for (const name of state.names) names.add(name)
      return
    case "rule": {
      // No rule is empty, so what follows it is not looked at.
      for (const name of nextInRule(ruleStarts.get(state.rule) as State)) names.add(name)
      return
    }
    case "choice":
      return into(...state.alternatives)
    case "optional":
    case "repetition":
    case "series-end":
      return into(state.body, state.next)
    case "repetition-end":
      return into(state.repetition)
    case "series":
      return into(state.body)
  }
}

/** Reports whether a token can come next, or the rule can end, at a place. */
export function accepts(state: State, name: TokenName): boolean {
  const next = nextInRule(state)
  return next.has(name) || next.has(ruleEnd)
}

/** Returns what can come next at a place in a rule with callers. */
export function expected(state: State, caller: Caller | undefined): ReadonlySet<TokenName> {
  const names = new Set(nextInRule(state))
  let outer = caller
  while (names.delete(ruleEnd)) {
    if (!outer) return names.add("<EOF>")
    for (const name of nextInRule(outer.follow)) names.add(name)
    outer = outer.caller
  }
  return names
}

/** Returns what a caller can continue with: recovery skips the tokens before. */
export function recoverySet(caller: Caller | undefined): Set<TokenName> {
  const names = new Set<TokenName>()
  for (let outer = caller; outer; outer = outer.caller) for (const name of nextInRule(outer.follow)) names.add(name)
  names.delete(ruleEnd)
  return names
}

/** Lists names as ANTLR does. */
export function listed(names: ReadonlySet<TokenName>): string {
  const sorted = tokenNames.filter((name) => names.has(name))
  return sorted.length === 1 ? (sorted[0] as string) : `{${sorted.join(", ")}}`
}
