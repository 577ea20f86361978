import { documentOf, type StaticDocument, staticDocument } from "../discovery/document.ts"
import { clausesOf } from "../request/negotiation.ts"
import type { Codec } from "./gnostic-codec.ts"

/** The binary form of a version of OpenAPI. */
export interface BinaryForm {
  /** What the answer says it is. */
  readonly contentType: string
  /** From a time when content types could have such a sign. */
  readonly olderType: string
  readonly codec: Codec
}

export type Form = "json" | "binary"

/** The first that the caller takes and we have; undefined when there is none. */
export function formOf(accept: string | undefined, { contentType, olderType }: BinaryForm): Form | undefined {
  if (accept === undefined || accept.trim() === "") return "json"
  for (const { type } of clausesOf(accept)) {
    if (type === contentType || type === olderType) return "binary"
    if (type === "application/json" || type === "application/*" || type === "*/*") return "json"
  }
  return undefined
}

/** How a document is made, each time that a form of it is asked for first. */
export interface DocumentSource {
  make(): object
  /** The same as JSON, where that is cheaper than to write out the object. */
  json?(): string
}

/** A document in the forms that were asked for so far. */
export class DocumentForms {
  readonly #source: DocumentSource
  readonly #binary: BinaryForm
  readonly #made = new Map<Form, StaticDocument>()

  constructor(source: DocumentSource, binary: BinaryForm) {
    this.#source = source
    this.#binary = binary
  }

  in(form: Form): StaticDocument {
    const made = this.#made.get(form) ?? this.#inForm(form)
    this.#made.set(form, made)
    return made
  }

  #inForm(form: Form): StaticDocument {
    const { codec, contentType } = this.#binary
    if (form === "binary") return documentOf(codec.encode(this.#source.make()), contentType)
    const json = this.#source.json?.()
    return json === undefined ? staticDocument(this.#source.make()) : documentOf(Buffer.from(json), "application/json")
  }
}
