import type { DeltaRequest, SotwRequest } from "../xds/request.ts"

/**
 * What a client has asked for on one stream, read off its requests as xDS' documents have it and in no other way: for tests. Without any name ever, roots
 * mean everything; from the first name on, "*" too, only what is named counts, and by delta what was meant before goes on until "*" is given up.
 */
export class BookSubscription {
  readonly #names = new Set<string>()
  #isFirst = true
  #everNamed = false

  capture(request: SotwRequest | DeltaRequest, isRoot: boolean): void {
    const named = "names" in request ? request.names : request.subscribe
    if ("names" in request) this.#names.clear()
    if (named.length > 0) this.#everNamed = true
    for (const name of named) this.#names.add(name)
    if ("unsubscribe" in request) for (const name of request.unsubscribe) if (!named.includes(name)) this.#names.delete(name)
    if (isRoot && !this.#everNamed && ("names" in request || this.#isFirst)) this.#names.add("*")
    this.#isFirst = false
  }

  has(name: string): boolean {
    return this.#names.has("*") || this.#names.has(name)
  }
}
