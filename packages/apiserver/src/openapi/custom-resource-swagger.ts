import { createHash } from "node:crypto"
import { deepEqual } from "@pilothouse/api"
import type { CustomResourceDefinitionVersion } from "@pilothouse/api/apiextensions/v1"
import type { CustomResourceVersion } from "../customresources/served-version.ts"
import { documentOf, type StaticDocument } from "../discovery/document.ts"
import { documentPart } from "./custom-resource-document.ts"
import type { SwaggerForm } from "./swagger-form.ts"
import { type Swagger, swaggerPaths } from "./v2.ts"

type Json = Readonly<Record<string, unknown>>
type Spec = CustomResourceVersion["definition"]["spec"]

/** Entries of a map of the built-in resources that are written in one step. */
const entriesPerStep = 16

/** Entries of the document's paths and definitions. As bytes they take a tenth of the memory of the objects. */
interface SwaggerPart {
  readonly paths: Buffer
  readonly definitions: Buffer
}

/** What is merged into the document beside definitions. */
type SwaggerAddition = Pick<Swagger, "paths" | "definitions">

/**
 * The one document that OpenAPI v2 has, in one form. It changes with every definition; the part of a definition is made once and kept for as long as its
 * version. With hundreds of definitions the parts take seconds together, and a document has tens of megabytes.
 */
export class SwaggerDocuments {
  readonly #base: () => Swagger
  readonly #form: SwaggerForm
  readonly #known = new WeakMap<CustomResourceDefinitionVersion, SwaggerPart & { readonly spec: Spec }>()
  #builtIn: SwaggerPart | undefined

  /** `base` describes the resources of the server itself. */
  constructor(base: () => Swagger, form: SwaggerForm) {
    this.#base = base
    this.#form = form
  }

  /** Makes the document of a server that serves these versions beside its own resources, in steps of milliseconds. */
  *make(
    versions: readonly CustomResourceVersion[],
    others: readonly SwaggerAddition[] = [],
  ): Generator<undefined, StaticDocument, undefined> {
    const parts: SwaggerPart[] = [yield* this.#builtInPart()]
    const known = new Set(Object.keys(this.#base().definitions))
    for (const other of others) parts.push(...(yield* this.#otherPart(other, known)))
    for (const served of versions) {
      parts.push(this.#partOf(served))
      yield
    }
    const { paths: _, definitions: __, ...rest } = this.#base()
    const separated = (all: readonly Buffer[]) =>
      all.filter(({ length }) => length > 0).flatMap((one, index) => (index === 0 ? one : [this.#form.separator, one]))
    const pieces = this.#form.pieces(
      rest,
      separated(parts.map(({ paths }) => paths)),
      separated(parts.map(({ definitions }) => definitions)),
    )
    const hash = createHash("sha512")
    for (const piece of pieces) {
      hash.update(piece)
      yield
    }
    return documentOf(Buffer.concat(pieces), this.#form.contentType, hash)
  }

  /**
   * What a document of an extension server adds: of a name that is known ours is meant, such as ObjectMeta. Nothing where it is of a form that cannot be
   * written: the rest of the document is the same.
   */
  *#otherPart({ paths, definitions }: SwaggerAddition, known: Set<string>): Generator<undefined, readonly SwaggerPart[], undefined> {
    const own = Object.entries(definitions).filter(([name]) => !known.has(name))
    try {
      const pathBytes = yield* this.#entries(paths, this.#form.paths)
      const part = { paths: pathBytes, definitions: yield* this.#entries(Object.fromEntries(own), this.#form.definitions) }
      for (const [name] of own) known.add(name)
      return [part]
    } catch {
      // Only the author of that server can mend it.
      return []
    }
  }

  *#builtInPart(): Generator<undefined, SwaggerPart, undefined> {
    if (this.#builtIn !== undefined) return this.#builtIn
    const { paths, definitions } = this.#base()
    yield
    const pathBytes = yield* this.#entries(paths, this.#form.paths)
    this.#builtIn = { paths: pathBytes, definitions: yield* this.#entries(definitions, this.#form.definitions) }
    return this.#builtIn
  }

  *#entries(map: Json, write: (entries: Json) => Buffer): Generator<undefined, Buffer, undefined> {
    const entries = Object.entries(map)
    const written: Buffer[] = []
    for (let at = 0; at < entries.length; at += entriesPerStep) {
      if (at > 0) written.push(this.#form.separator)
      written.push(write(Object.fromEntries(entries.slice(at, at + entriesPerStep))))
      yield
    }
    return Buffer.concat(written)
  }

  #partOf(served: CustomResourceVersion): SwaggerPart {
    const { spec } = served.definition
    const known = this.#known.get(served.version)
    if (known !== undefined && isNamedAs(known.spec, spec)) return known
    const { paths, schemas } = documentPart(served, "v2")
    const olderPaths = swaggerPaths(paths, ["application/json", "application/yaml"])
    const made = { spec, paths: this.#form.paths(olderPaths), definitions: this.#form.definitions(schemas) }
    this.#known.set(served.version, made)
    return made
  }
}

function isNamedAs(before: Spec, { group, names, scope, preserveUnknownFields }: Spec): boolean {
  return deepEqual([before.group, before.names, before.scope, before.preserveUnknownFields], [group, names, scope, preserveUnknownFields])
}
