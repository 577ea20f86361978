import { aliasWay, serviceBehind } from "./model/alias.ts"
import { isHidden, type Service } from "./model/service.ts"

export interface AliasInWords {
  readonly words: string
  /** Whose endpoints answer to the name; undefined where clients are told nothing of it. */
  readonly target: Service | undefined
}

/** What an alias leads to; undefined for what is none. */
export function aliasInWords(alias: Service, find: (hostname: string) => Service | undefined): AliasInWords | undefined {
  const way = aliasWay(alias, find)
  if (way === undefined) return undefined
  const { hostname } = alias
  const untold = (words: string) => ({ words: `${hostname} is an alias ${words}`, target: undefined })
  if (way.isCircle) {
    const back = find(way.hosts.at(-1) ?? hostname)?.aliasOf
    return untold(`that leads in a circle: ${[hostname, ...way.hosts, back].join(" → ")}; clients are told nothing of it`)
  }
  const names = `of ${way.hosts.join(", which is one of ")}`
  const target = serviceBehind(alias, find)
  if (target === undefined) return untold(`${names}, which no service has as its hostname; clients are told nothing of it`)
  if (isHidden(alias)) return untold(`${names}, and nobody may see it (exportTo ~)`)
  return { words: `${hostname} is an alias ${names}`, target }
}
