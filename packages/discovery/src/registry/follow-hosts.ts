import type { Registry } from "./registry.ts"

/** Visits every host once everything was read, and then each that changes, until it is disposed. `known` are those looked at before: they may be gone. */
export function followHosts(registry: Registry, check: (hostname: string) => void, known: () => Iterable<string>): Disposable {
  const lookAtAll = () => {
    if (!registry.synced) return
    const hostnames = registry.services().map(({ hostname }) => hostname)
    for (const hostname of new Set([...known(), ...hostnames])) check(hostname)
  }
  lookAtAll()
  return registry.subscribe({
    serviceUpdate: check,
    endpointsUpdate: (_shard, hostname) => check(hostname),
    workloadUpdate() {},
    configUpdate: lookAtAll,
  })
}
