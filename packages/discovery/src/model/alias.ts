import type { Service } from "./service.ts"

/** Where an alias leads, host after host: the last one is no alias itself, there or not. */
export interface AliasWay {
  readonly hosts: readonly string[]
  /** It leads back to a host on it: it has no target. */
  readonly isCircle: boolean
}

/** Returns how an alias is resolved; undefined for a service that is no alias. */
export function aliasWay(alias: Service, find: (hostname: string) => Service | undefined): AliasWay | undefined {
  if (alias.aliasOf === undefined) return undefined
  const seen = new Set<string>([alias.hostname])
  let next: string | undefined = alias.aliasOf
  while (next !== undefined && !seen.has(next)) {
    seen.add(next)
    next = find(next)?.aliasOf
  }
  const [, ...hosts] = seen
  return { hosts, isCircle: next !== undefined }
}

/** The service that a name stands for: itself where it is no alias; undefined for an alias that leads nowhere or in a circle. */
export function serviceBehind(service: Service, find: (hostname: string) => Service | undefined): Service | undefined {
  const way = aliasWay(service, find)
  if (way === undefined) return service
  return way.isCircle ? undefined : find(way.hosts.at(-1)!)
}
