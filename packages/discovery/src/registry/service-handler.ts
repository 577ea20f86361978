import type { Service } from "../model/service.ts"
import { followHosts } from "./follow-hosts.ts"
import type { Registry } from "./registry.ts"

/** Called with a service that came or changed, or with the last that was known of one that went. Must not throw. */
export type ServiceHandler = (service: Service, event: "added" | "updated" | "deleted") => void

/**
 * Notifies a handler with services themselves, where a subscriber receives their names: of all that are there once everything was read, then of each change,
 * until it is disposed. A change of endpoints alone is none of the service.
 */
export function appendServiceHandler(registry: Registry, handler: ServiceHandler): Disposable {
  const known = new Map<string, Service>()
  const check = (hostname: string) => {
    const [before, after] = [known.get(hostname), registry.getService(hostname)]
    if (before === after) return
    if (after === undefined) known.delete(hostname)
    else known.set(hostname, after)
    if (after !== undefined) handler(after, before === undefined ? "added" : "updated")
    else if (before !== undefined) handler(before, "deleted")
  }
  return followHosts(registry, check, () => known.keys())
}
