import { documentOf, type StaticDocument, staticDocument } from "../discovery/document.ts"
import { clausesOf } from "../request/negotiation.ts"
import type { Codec } from "./gnostic-codec.ts"

/** The content types of the binary form of a version of OpenAPI. */
export interface BinaryTypes {
  /** What the answer says it is. */
  readonly contentType: string
  /** From a time when content types could have such a sign. */
  readonly olderType: string
}

export interface BinaryForm extends BinaryTypes {
  readonly codec: Codec
}

export type Form = "json" | "binary"

/** The first that the caller takes and we have; undefined when there is none. */
export function formOf(accept: string | undefined, { contentType, olderType }: BinaryTypes): Form | undefined {
  if (accept === undefined || accept.trim() === "") return "json"
  for (const { type } of clausesOf(accept)) {
    if (type === contentType || type === olderType) return "binary"
    if (type === "application/json" || type === "application/*" || type === "*/*") return "json"
  }
  return undefined
}

/** A document in the forms that were asked for so far. */
export class DocumentForms {
  readonly #make: () => object
  readonly #binary: BinaryForm
  readonly #made = new Map<Form, StaticDocument>()

  /** `make` is called when a form is asked for first. */
  constructor(make: () => object, binary: BinaryForm) {
    this.#make = make
    this.#binary = binary
  }

  in(form: Form): StaticDocument {
    const made = this.#made.get(form) ?? this.#inForm(form)
    this.#made.set(form, made)
    return made
  }

  #inForm(form: Form): StaticDocument {
    const { codec, contentType } = this.#binary
    return form === "binary" ? documentOf(codec.encode(this.#make()), contentType) : staticDocument(this.#make())
  }
}
