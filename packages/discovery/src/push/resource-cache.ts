import type { XdsClient } from "../generators/client.ts"
import type { Generator } from "../generators/generator.ts"
import { type Kind, kinds } from "../xds/kinds.ts"
import type { Resource } from "../xds/resource.ts"

/** What was rendered for one sort of clients, by name and scope. It holds only what clients requested. */
export class ResourceCache {
  readonly #generator: Generator
  readonly #kept: Readonly<Record<Kind, Map<string, Map<string, Resource>>>>
  hits = 0
  misses = 0

  constructor(generator: Generator) {
    this.#generator = generator
    this.#kept = { cluster: new Map(), endpoint: new Map(), listener: new Map(), route: new Map() }
  }

  find(kind: Kind, name: string, client: XdsClient): Resource | undefined {
    const scope = this.#generator.scope(kind, name, client)
    const known = this.#kept[kind].get(name)?.get(scope)
    if (known !== undefined) {
      this.hits++
      return known
    }
    this.misses++
    const made = this.#generator.render(kind, name, client)
    // An empty assignment costs nothing to make, and any name has one: kept, a client could fill the memory with names it made up.
    if (made === undefined || (kind === "endpoint" && made.length <= name.length + 3)) return made
    return this.#keep(made, scope)
  }

  drop(kind: Kind, name: string): void {
    this.#kept[kind].delete(name)
  }

  clear(): void {
    for (const kind of kinds) this.#kept[kind].clear()
  }

  sizes(): Readonly<Record<Kind, { readonly entries: number; readonly bytes: number }>> {
    const size = (kind: Kind) => {
      const all = [...this.#kept[kind].values()].flatMap((byScope) => [...new Set(byScope.values())])
      return { entries: all.length, bytes: all.reduce((sum, resource) => sum + resource.length, 0) }
    }
    return { cluster: size("cluster"), endpoint: size("endpoint"), listener: size("listener"), route: size("route") }
  }

  /** One resource for all scopes that have the same content: namespaces, zones and nodes mostly do. */
  #keep(made: Resource, scope: string): Resource {
    const byScope = this.#kept[made.kind].get(made.name)
    if (byScope === undefined) {
      this.#kept[made.kind].set(made.name, new Map([[scope, made]]))
      return made
    }
    const same = byScope.values().find(({ version }) => version === made.version) ?? made
    byScope.set(scope, same)
    return same
  }
}
