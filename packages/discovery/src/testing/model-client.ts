import { isRoot, type Kind } from "../xds/kinds.ts"
import type { DeltaRequest, SotwRequest } from "../xds/request.ts"

/** A response as far as the protocol is concerned. */
export interface ModelResponse {
  readonly nonce: string
  readonly resources: ReadonlyMap<string, string>
  readonly removed: readonly string[]
}

/**
 * A client by the book, for tests: what it subscribes to, what it holds, and what it sends. Both protocols share what it holds.
 * Responses are taken in the order they were sent; it refuses those that the test refuses, and keeps what it had.
 */
export class ModelClient {
  readonly kind: Kind
  readonly wanted = new Set<string>()
  readonly held = new Map<string, string>()
  /** Versions that it was offered last and refused: those are not owed. */
  readonly refused = new Map<string, string>()
  /** What it was to forget, and refused to. */
  readonly kept = new Set<string>()
  nonce = ""
  #version = ""
  #error: string | undefined
  #first = true
  /** It began without names and never had one: by the old rule it subscribes to everything. */
  legacy: boolean

  constructor(kind: Kind) {
    this.kind = kind
    this.legacy = isRoot(kind)
  }

  want(name: string): void {
    this.legacy = false
    this.wanted.add(name)
  }

  drop(name: string): void {
    this.wanted.delete(name)
    this.forgetUnwanted()
  }

  reconnect(): void {
    this.nonce = ""
    this.#error = undefined
    this.#first = true
    this.refused.clear()
    this.kept.clear()
  }

  take(response: ModelResponse, refuse: boolean, whole: boolean): void {
    this.nonce = response.nonce
    this.#error = refuse ? "refused on purpose" : undefined
    for (const [name, version] of response.resources) {
      this.refused.delete(name)
      if (!this.wants(name)) continue
      if (refuse) this.refused.set(name, version)
      else this.held.set(name, version)
    }
    const gone = [...response.removed, ...(whole ? [...this.held.keys()].filter((name) => !response.resources.has(name)) : [])]
    for (const name of gone) {
      if (refuse) this.kept.add(name)
      else this.held.delete(name)
    }
    if (!refuse) {
      this.#version = response.nonce
      for (const name of [...gone, ...response.resources.keys()]) this.kept.delete(name)
    }
  }

  sotw(): SotwRequest {
    return {
      names: [...this.wanted],
      version: this.#version,
      nonce: this.nonce,
      ...(this.#error !== undefined && { error: this.#error }),
    }
  }

  /** An acknowledgement, or a change of the subscription; on a new stream everything that it subscribes to and holds. */
  delta(changes: { subscribe?: readonly string[]; unsubscribe?: readonly string[]; answers?: boolean }): DeltaRequest {
    const first = this.#first
    this.#first = false
    return {
      subscribe: first ? [...this.wanted] : (changes.subscribe ?? []),
      unsubscribe: first ? [] : (changes.unsubscribe ?? []),
      initialVersions: first ? new Map(this.held) : new Map(),
      nonce: changes.answers ? this.nonce : "",
      ...(changes.answers && this.#error !== undefined && { error: this.#error }),
    }
  }

  wants(name: string): boolean {
    return this.legacy || this.wanted.has(name) || this.wanted.has("*")
  }

  forgetUnwanted(): void {
    for (const name of this.held.keys()) if (!this.wants(name)) this.held.delete(name)
  }
}
