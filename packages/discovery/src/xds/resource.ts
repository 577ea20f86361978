import { digest } from "../wire/digest.ts"
import { field, header, lengthOf, textField } from "../wire/length-delimited.ts"
import { type Kind, typeUrls } from "./kinds.ts"
import type { Sendable } from "./timed-resource.ts"

const resourcesField = 2

/**
 * One resource as every stream gets it. Its bytes are made once: as the field of a response of the state of the world at once,
 * as that of a delta response when the first stream wants it.
 */
export class Resource implements Sendable {
  readonly form = "plain"
  readonly name: string
  /** A digest of the content. */
  readonly version: string
  readonly kind: Kind
  /** The field `resources` of a DiscoveryResponse. */
  readonly sotw: Buffer
  readonly #valueLength: number
  readonly #anyLength: number
  #delta: Buffer | undefined

  constructor(kind: Kind, name: string, parts: readonly Uint8Array[], contentDigest?: string) {
    this.kind = kind
    this.name = name
    this.#valueLength = lengthOf(parts)
    const before = [textField(1, typeUrls[kind]), header(2, this.#valueLength)]
    this.#anyLength = lengthOf(before) + this.#valueLength
    this.sotw = Buffer.concat([header(resourcesField, this.#anyLength), ...before, ...parts])
    this.version = contentDigest ?? digest(this.value)
  }

  /** The message itself. */
  get value(): Buffer {
    return this.sotw.subarray(this.sotw.length - this.#valueLength)
  }

  /** The message in an Any. */
  get any(): Buffer {
    return this.sotw.subarray(this.sotw.length - this.#anyLength)
  }

  /** The field `resources` of a DeltaDiscoveryResponse. */
  get delta(): Buffer {
    this.#delta ??= field(
      resourcesField,
      Buffer.concat([textField(1, this.version), header(2, this.#anyLength), this.any, textField(3, this.name)]),
    )
    return this.#delta
  }

  /** Bytes that are kept for it. */
  get size(): number {
    return this.sotw.length + (this.#delta?.length ?? 0)
  }
}
