import { deltaChange, deltaRequest } from "../xds/delta.ts"
import type { Kind } from "../xds/kinds.ts"
import type { DeltaRequest, SotwRequest } from "../xds/request.ts"
import { sotwChange, sotwRequest } from "../xds/sotw.ts"
import type { Offer, Step } from "../xds/step.ts"
import { Watch } from "../xds/watch.ts"

/** One kind on one stream, driven by hand in tests: each call says what is sent, or "nothing". Nonces count from 1. */
export function streamScript(protocol: "sotw" | "delta", kind: Kind, content: Record<string, string>) {
  const world = new Map(Object.entries(content))
  const watch = new Watch(kind)
  const offer: Offer = {
    find: (name) => (world.has(name) ? { name, version: world.get(name)! } : undefined),
    names: () => world.keys(),
  }
  let nonce = 0
  const take = (step: Step): string => {
    if (step.answer !== undefined) nonce++
    watch.take(step, offer, String(nonce))
    return step.answer === undefined ? "nothing" : told(step.answer)
  }
  return {
    watch,
    sotw: (names: readonly string[], rest: Partial<SotwRequest> = {}) =>
      take(sotwRequest(watch, { names, nonce: "", version: "", ...rest }, offer)),
    delta: (rest: Partial<DeltaRequest>) =>
      take(deltaRequest(watch, { subscribe: [], unsubscribe: [], initialVersions: new Map(), nonce: "", ...rest }, offer)),
    /** undefined: it is gone. */
    change: (changes: Record<string, string | undefined>, forced: readonly string[] = []) => {
      for (const [name, version] of Object.entries(changes)) {
        if (version === undefined) world.delete(name)
        else world.set(name, version)
      }
      const dirty = new Set([...Object.keys(changes), ...forced])
      return take((protocol === "sotw" ? sotwChange : deltaChange)(watch, dirty, new Set(forced), offer))
    },
  }
}

function told({ names, removed }: { readonly names: readonly string[]; readonly removed: readonly string[] }): string {
  const gone = removed.map((name) => `-${name}`)
  return [...names, ...gone].sort().join(" ") || "an empty answer"
}
