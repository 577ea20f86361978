import type { Clock } from "@pilothouse/seams"
import type { AliasSource } from "../generators/generator.ts"
import { isSeenAsWidely } from "../generators/names.ts"
import type { Service } from "../model/service.ts"
import { AliasIndex } from "./alias-index.ts"

/** What aliases are resolved by. */
export interface AliasesOptions {
  /** As it was learned last. */
  readonly service: (hostname: string) => Service | undefined
  readonly clock: Clock
  /** Milliseconds for which the listeners of an alias stay after it. */
  readonly grace: number
  readonly onLeft: (alias: Service) => void
}

/** Aliases as they are, and those that have just gone. Each of these is reported when its time is over, also where another of its name took its place. */
export class Aliases implements AliasSource, Disposable {
  readonly #options: AliasesOptions
  readonly #index: AliasIndex
  readonly #leaving = new Map<string, { readonly alias: Service; readonly timer: Disposable }>()

  constructor(options: AliasesOptions) {
    this.#options = options
    this.#index = new AliasIndex(options.service)
  }

  at(hostname: string): Service | undefined {
    return this.#index.at(hostname)
  }

  of(hostname: string): readonly Service[] {
    return this.#index.of(hostname)
  }

  leavingAt(hostname: string): Service | undefined {
    return this.#leaving.get(hostname)?.alias
  }

  *leaving(): Iterable<Service> {
    for (const { alias } of this.#leaving.values()) yield alias
  }

  /** A host was and is this: every alias on whose way it stands, as it was and is. */
  refresh(hostname: string, before: Service | undefined, after: Service | undefined): readonly Service[] {
    const changes = this.#index.change(hostname, before?.aliasOf, after?.aliasOf)
    for (const { before: was, after: is } of changes) if (was !== undefined && !(is && goesOn(was, is))) this.#leave(was)
    return changes.flatMap(({ before: was, after: is }) => [was, is]).filter((alias) => alias !== undefined)
  }

  [Symbol.dispose](): void {
    for (const { timer } of this.#leaving.values()) timer[Symbol.dispose]()
    this.#leaving.clear()
  }

  #leave(gone: Service): void {
    const { clock, grace, onLeft } = this.#options
    const { hostname } = gone
    const before = this.#leaving.get(hostname)
    before?.timer[Symbol.dispose]()
    // One that was hidden from some, and then goes for all, stays for all of them.
    const alias = before !== undefined && goesOn(gone, before.alias) ? before.alias : gone
    const timer = clock.timer(grace, `grace of the alias ${hostname}`, () => {
      this.#leaving.delete(hostname)
      onLeft(alias)
    })
    this.#leaving.set(hostname, { alias, timer })
    if (before !== undefined && before.alias !== alias) onLeft(before.alias)
  }
}

/** Whether both aliases lead the same clients to the same target. */
function goesOn(before: Service, after: Service): boolean {
  const ports = new Set(after.ports.map(({ port }) => port))
  return after.aliasOf === before.aliasOf && isSeenAsWidely(after, before) && before.ports.every(({ port }) => ports.has(port))
}
