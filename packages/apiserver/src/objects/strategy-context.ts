import type { StrategyContext } from "../resources/resource.ts"
import type { Call } from "../server/call.ts"

/** Returns what strategies may use of a request and its server. */
export function strategyContext({ server: { clock, random }, identity, warnings }: Call): StrategyContext {
  return { clock, random, identity, warn: (text) => warnings.add(text) }
}
