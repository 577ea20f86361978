import type { KubeObject } from "@pilothouse/api"
import type { Draft } from "../body/draft.ts"
import type { StrategyContext } from "../resources/resource.ts"
import type { Call } from "../server/call.ts"

/** Returns what strategies may use of a request and its server. */
export function strategyContext({ server: { clock, random }, identity, warnings }: Call): StrategyContext {
  return { clock, random, identity, warn: (text) => warnings.add(text) }
}

/** Takes what the server has only once for an object. A write of a subresource takes nothing: a Service that one creates has no address, as upstream. */
export function reserve({ resource, subresource, server }: Call, draft: Draft<KubeObject>, old?: KubeObject): Disposable | undefined {
  return subresource === "" ? resource.strategy.reserve?.(draft, old, server.addresses) : undefined
}
