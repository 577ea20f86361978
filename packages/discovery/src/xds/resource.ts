import { digest } from "../wire/digest.ts"
import { header, lengthOf, textField } from "../wire/length-delimited.ts"
import { type Kind, typeUrls } from "./kinds.ts"
import type { Sendable } from "./timed-resource.ts"

const resourcesField = 2

/**
 * One resource as every stream gets it, in the parts that it was made of: those of an assignment are kept with its endpoints. They are put together in the
 * responses that it stands in, which all streams share, and nowhere else: an assignment of a thousand endpoints is 88 kB.
 */
export class Resource implements Sendable {
  readonly form = "plain"
  readonly name: string
  /** A digest of the content. */
  readonly version: string
  readonly kind: Kind
  /** Bytes of the message. */
  readonly length: number
  readonly #parts: readonly Uint8Array[]
  #sotwHead: Buffer | undefined
  #deltaHead: Buffer | undefined

  constructor(kind: Kind, name: string, parts: readonly Uint8Array[], contentDigest?: string) {
    this.kind = kind
    this.name = name
    this.length = lengthOf(parts)
    this.#parts = parts
    this.version = contentDigest ?? digest(this.value)
  }

  /** The message itself. */
  get value(): Buffer {
    return Buffer.concat(this.#parts)
  }

  /** The message in an Any. */
  get any(): Buffer {
    return Buffer.concat([this.#beforeValue(), ...this.#parts])
  }

  get sotw(): readonly Uint8Array[] {
    this.#sotwHead ??= headOf([], this.#beforeValue(), this.length)
    return [this.#sotwHead, ...this.#parts]
  }

  get delta(): readonly Uint8Array[] {
    const tail = textField(3, this.name)
    this.#deltaHead ??= headOf([textField(1, this.version)], this.#beforeValue(), this.length, tail.length)
    return [this.#deltaHead, ...this.#parts, tail]
  }

  /** What an Any has before its content. */
  #beforeValue(): Buffer {
    return Buffer.concat([textField(1, typeUrls[this.kind]), header(2, this.length)])
  }
}

/** Everything of a field `resources` that stands before the message; by delta the Any is a field of a field. */
function headOf(before: readonly Buffer[], beforeValue: Buffer, length: number, tail?: number): Buffer {
  const any = beforeValue.length + length
  const inner = tail === undefined ? [] : [...before, header(2, any)]
  return Buffer.concat([header(resourcesField, lengthOf(inner) + any + (tail ?? 0)), ...inner, beforeValue])
}
