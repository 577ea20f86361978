import { apiVersionOf, type Descriptor, resourceNameOf } from "@pilothouse/api"
import { type Clock, type Log, messageOf, milliseconds, onAbort } from "@pilothouse/seams"
import type { Informers } from "../cache/informers.ts"
import type { ChangeHandler } from "../cache/listener.ts"
import type { Client } from "../client/client.ts"
import { chooseKinds } from "./choose-kinds.ts"
import { isSameResource } from "./declared-kind.ts"
import type { DynamicKind, DynamicKinds } from "./dynamic-kinds.ts"
import { Followed } from "./followed.ts"
import type { ObjectRef } from "./plan.ts"

export interface FollowingOptions {
  readonly controller: string
  readonly discovers: DynamicKinds
  readonly informers: Informers
  readonly client: Pick<Client, "discover">
  readonly clock: Clock
  readonly log: Log
}

/** Gives the handlers for one kind. */
export type HandlersOf = (of: Descriptor) => readonly ChangeHandler[]

const defaultInterval = "30s"
/** Until a look that failed as a whole is tried again: nothing is known before the first. */
const soonAgain = 1000
/** Controllers that look at about the same time share what one of them found. */
const sameLook = 1000
/** How long a controller waits at its start; upstream's garbage collector goes on after as long. */
const maxWait = 30_000

/**
 * The discovered kinds of one controller.
 *
 * Always true between calls: those kinds are followed that the last look at the server brought and the controller wants, and those of groups that
 * did not answer it; all audiences hear of each of them.
 */
export class Following {
  readonly #options: FollowingOptions
  readonly #followed = new Map<string, Followed>()
  /** The same by their own descriptors, with which almost everybody asks: a loop over all kinds would make a name for each. */
  readonly #byDescriptor = new Map<Descriptor, Followed>()
  readonly #audiences = new Set<HandlersOf>()
  readonly #firstLook = Promise.withResolvers<void>()
  #kinds: readonly DynamicKind[] = []

  constructor(options: FollowingOptions) {
    this.#options = options
  }

  kinds(): readonly DynamicKind[] {
    return this.#kinds
  }

  /** Undefined: it is not followed. */
  find(of: Descriptor): Followed | undefined {
    const known = this.#byDescriptor.get(of)
    if (known !== undefined) return known
    const followed = this.#followed.get(resourceNameOf(of))
    return followed !== undefined && isSameResource(followed.of, of) ? followed : undefined
  }

  /** By what an object says of itself. */
  ofKind({ apiVersion, kind }: Pick<ObjectRef, "apiVersion" | "kind">): Descriptor | undefined {
    return this.#kinds.find(({ of }) => of.kind === kind && apiVersionOf(of) === apiVersion)?.of
  }

  /** Tells handlers about every kind that is followed now or will be, until disposed. Of a kind that goes they are told that its objects are gone. */
  tell(handlersOf: HandlersOf): Disposable {
    this.#audiences.add(handlersOf)
    for (const followed of this.#followed.values()) followed.tell(handlersOf)
    return {
      [Symbol.dispose]: () => {
        this.#audiences.delete(handlersOf)
        for (const followed of this.#followed.values()) followed.leave(handlersOf)
      },
    }
  }

  /** Looks at the server again and again, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, controller, discovers } = this.#options
    const every = milliseconds(discovers.every ?? defaultInterval)
    while (!signal.aborted) {
      const looked = await this.#look(signal)
      await clock.sleep(looked ? every : Math.min(every, soonAgain), { signal, name: `kinds of ${controller}` }).catch(() => {})
    }
  }

  /** Ends when the caches of all that the first look brought are full, after 30 s, or when the signal aborts. */
  async synced(signal: AbortSignal): Promise<void> {
    const { clock, controller, log } = this.#options
    const given = new AbortController()
    using _timer = clock.timer(maxWait, `discovered kinds of ${controller}`, () => given.abort())
    const either = AbortSignal.any([signal, given.signal])
    const { promise, resolve } = Promise.withResolvers<void>()
    // Also where it has aborted already: the listener of an event that is over would never be called.
    using _listening = onAbort(either, resolve)
    await Promise.race([promise, this.#allFull()])
    if (!given.signal.aborted) return
    const missing = this.#kinds.filter(({ hasSynced }) => !hasSynced).map(({ of }) => resourceNameOf(of))
    log.warn("a controller goes on without the caches of some kinds it has discovered", { controller, missing })
  }

  async #allFull(): Promise<void> {
    await this.#firstLook.promise
    await Promise.all([...this.#followed.values()].map(({ informer }) => informer.synced()))
  }

  /** True: the server said what it has. */
  async #look(signal: AbortSignal): Promise<boolean> {
    const { client, controller, log } = this.#options
    try {
      const found = await client.discover({ signal, youngerThan: sameLook })
      if (signal.aborted) return false
      const before = new Map([...this.#followed].map(([name, { of }]) => [name, of]))
      this.#change(chooseKinds(found, before, (of) => this.#wants(of)))
      this.#firstLook.resolve()
      if (found.failed.length > 0) this.#tellFailed()
      for (const { groupVersion, message } of found.failed)
        log.warn("an API group does not say what it has: what is known of it stays", { controller, groupVersion, error: message })
      return true
    } catch (error) {
      if (signal.aborted) return false
      log.warn("the server does not say what resources it has, trying again", { controller, error: messageOf(error) })
      this.#tellFailed()
      return false
    }
  }

  #tellFailed(): void {
    const { controller, log, discovers } = this.#options
    try {
      discovers.failed?.()
    } catch (error) {
      log.error("discovers.failed threw; the server is asked again all the same", { controller, error: messageOf(error) })
    }
  }

  #wants(of: Descriptor): boolean {
    try {
      return this.#options.discovers.wants(of)
    } catch (error) {
      return this.#refused(of, error)
    }
  }

  /** All that goes has gone before anybody is told: a mapping that reads the caches finds nothing of it. */
  #change(chosen: ReadonlyMap<string, Descriptor>): void {
    const leaving = [...this.#followed].filter(([name, { of }]) => chosen.get(name) !== of)
    for (const [name, { of }] of leaving) {
      this.#followed.delete(name)
      this.#byDescriptor.delete(of)
    }
    for (const [name, of] of chosen) if (!this.#followed.has(name)) this.#follow(name, of)
    this.#kinds = [...this.#followed.values()]
    for (const [, followed] of leaving) followed.end()
  }

  #follow(name: string, of: Descriptor): void {
    const { discovers, informers, log } = this.#options
    const { metadataOnly } = discovers
    const scope = { metadataOnly: typeof metadataOnly === "function" ? metadataOnly(of) : metadataOnly }
    const followed = new Followed(of, informers.borrow(of, scope), log)
    try {
      for (const index of discovers.indexes?.(of) ?? []) followed.informer.addIndex(index)
      for (const audience of this.#audiences) followed.tell(audience)
      this.#followed.set(name, followed)
      this.#byDescriptor.set(of, followed)
    } catch (error) {
      followed.end()
      this.#refused(of, error)
    }
  }

  #refused(of: Descriptor, error: unknown): false {
    const { controller, log } = this.#options
    log.error("a discovered kind is not followed: the controller threw when it was asked about it", {
      controller,
      resource: resourceNameOf(of),
      error: messageOf(error),
    })
    return false
  }
}
