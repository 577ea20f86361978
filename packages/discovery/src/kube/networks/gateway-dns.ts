import type { Clock, Log } from "@pilothouse/seams"
import { FollowedName, type ResolveName } from "./followed-name.ts"

/** How the names of gateways are resolved. */
export interface GatewayDnsOptions {
  /** Undefined: names have no addresses here. */
  readonly resolve: ResolveName | undefined
  readonly clock: Clock
  readonly log: Log
  /** Some name has other addresses than before. */
  readonly changed: () => void
}

interface Entry {
  readonly followed: FollowedName
  readonly stop: AbortController
}

/**
 * The gateways that are known by a name.
 *
 * Invariant: exactly the names that were last given are followed, and asked for while run() is under way.
 */
export class GatewayDns {
  readonly #options: GatewayDnsOptions
  readonly #entries = new Map<string, Entry>()
  readonly #running = new Set<Promise<void>>()
  #names: ReadonlySet<string> = new Set()
  #signal: AbortSignal | undefined

  constructor(options: GatewayDnsOptions) {
    this.#options = options
  }

  addressesOf(name: string): readonly string[] {
    return this.#entries.get(name)?.followed.addresses ?? []
  }

  /** These, and no others from now on. */
  follow(names: ReadonlySet<string>): void {
    for (const [name, { stop }] of this.#entries) {
      if (names.has(name)) continue
      stop.abort()
      this.#entries.delete(name)
    }
    const added = [...names].filter((name) => !this.#names.has(name))
    this.#names = names
    for (const name of added) this.#add(name)
  }

  /** Over when every name that is followed now was asked for once. */
  async asked(): Promise<void> {
    await Promise.all([...this.#entries.values()].map(({ followed }) => followed.asked))
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal
    for (const entry of this.#entries.values()) this.#start(entry, signal)
    if (!signal.aborted) {
      await new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve(), { once: true })
      })
    }
    await Promise.all(this.#running)
  }

  #add(name: string): void {
    const { resolve, log } = this.#options
    if (resolve === undefined) {
      log.warn(`the gateway ${name} is known by a name, and no resolver is configured; it is left out`, { gateway: name })
      return
    }
    const entry = { followed: new FollowedName(name, { ...this.#options, resolve }), stop: new AbortController() }
    this.#entries.set(name, entry)
    if (this.#signal !== undefined) this.#start(entry, this.#signal)
  }

  #start({ followed, stop }: Entry, whole: AbortSignal): void {
    const running = followed.run(AbortSignal.any([whole, stop.signal]))
    this.#running.add(running)
    void running.then(() => this.#running.delete(running))
  }
}
