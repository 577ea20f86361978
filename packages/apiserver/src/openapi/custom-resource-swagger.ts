import { deepEqual } from "@pilothouse/api"
import type { CustomResourceDefinitionVersion } from "@pilothouse/api/apiextensions/v1"
import { stringifyJson } from "@pilothouse/seams"
import type { CustomResourceVersion } from "../customresources/served-version.ts"
import { documentPart } from "./custom-resource-document.ts"
import type { DocumentSource } from "./forms.ts"
import { type Swagger, swaggerPaths } from "./v2.ts"

type Spec = CustomResourceVersion["definition"]["spec"]

/** What one custom resource adds to the document, as members of JSON objects: text takes a tenth of the memory of the objects. */
interface SwaggerPart {
  readonly spec: Spec
  readonly paths: string
  readonly definitions: string
}

/**
 * The parts of the one document that OpenAPI v2 has. That document changes with every definition; the part of a definition is made once and kept for
 * as long as its version.
 */
export class SwaggerParts {
  readonly #known = new WeakMap<CustomResourceDefinitionVersion, SwaggerPart>()

  /** Returns how the document of a server is made that serves these versions beside its own resources. */
  documentOf(base: () => Swagger, versions: readonly CustomResourceVersion[]): DocumentSource {
    const parts = () => versions.map((served) => this.#partOf(served))
    return { make: () => joinedObject(base(), parts()), json: () => joinedJson(base(), parts()) }
  }

  /** Makes the parts of these versions, one in each step: with hundreds of definitions they take seconds together. */
  *prepare(versions: readonly CustomResourceVersion[]): Generator<undefined, void, undefined> {
    for (const served of versions) {
      this.#partOf(served)
      yield
    }
  }

  #partOf(served: CustomResourceVersion): SwaggerPart {
    const { spec } = served.definition
    const known = this.#known.get(served.version)
    if (known !== undefined && isNamedAs(known.spec, spec)) return known
    const part = documentPart(served, "v2")
    const paths = swaggerPaths(part.paths, ["application/json", "application/yaml"])
    const made = { spec, paths: membersOf(paths), definitions: membersOf(part.schemas) }
    this.#known.set(served.version, made)
    return made
  }
}

function isNamedAs(before: Spec, { group, names, scope, preserveUnknownFields }: Spec): boolean {
  return deepEqual([before.group, before.names, before.scope, before.preserveUnknownFields], [group, names, scope, preserveUnknownFields])
}

/** The JSON of an object without its braces. */
function membersOf(object: object): string {
  return stringifyJson(object).slice(1, -1)
}

function joinedJson({ paths, definitions, ...rest }: Swagger, parts: readonly SwaggerPart[]): string {
  const pathMembers = [membersOf(paths), ...parts.map((part) => part.paths)].join(",")
  const definitionMembers = [membersOf(definitions), ...parts.map((part) => part.definitions)].join(",")
  return `{${membersOf(rest)},"paths":{${pathMembers}},"definitions":{${definitionMembers}}}`
}

function joinedObject(base: Swagger, parts: readonly SwaggerPart[]): object {
  const objects = (members: readonly string[]) => members.map((text) => JSON.parse(`{${text}}`) as object)
  return {
    ...base,
    paths: Object.assign({}, base.paths, ...objects(parts.map(({ paths }) => paths))),
    definitions: Object.assign({}, base.definitions, ...objects(parts.map(({ definitions }) => definitions))),
  }
}
