import { deepEqual } from "@pilothouse/api"
import type { CustomResourceDefinition } from "@pilothouse/api/apiextensions/v1"
import type { Resource } from "../resources/resource.ts"
import type { Converter } from "./converter.ts"
import { type CompiledVersion, customResource } from "./custom-resource.ts"
import { type CustomResourceVersion, servedVersions, versionOf } from "./served-version.ts"

type Compile = (version: CustomResourceVersion["version"]) => CompiledVersion

interface ServedParts {
  readonly closing: AbortController
  readonly compile: Compile
  readonly converter: Converter | undefined
}

/** A definition, with what is made of it when it is used. */
export class ServedDefinition {
  readonly definition: CustomResourceDefinition
  /** Of the requests that outlast a write of the definition: watches. */
  readonly closing: AbortController
  readonly #compiled: Compile
  readonly #converter: Converter | undefined
  readonly #resources = new Map<string, Resource>()
  #versions: readonly CustomResourceVersion[] | undefined

  constructor(definition: CustomResourceDefinition, { closing, compile, converter }: ServedParts) {
    this.definition = definition
    this.closing = closing
    this.#compiled = compile
    this.#converter = converter
  }

  get versions(): readonly CustomResourceVersion[] {
    this.#versions ??= servedVersions(this.definition)
    return this.#versions
  }

  /** Of any version of the definition: managers of a version that is no longer served still own fields. */
  resource(name: string): Resource {
    const known = this.#resources.get(name)
    if (known !== undefined) return known
    const version = this.definition.spec.versions.find((one) => one.name === name)!
    const made = customResource(versionOf(this.definition, version), {
      closing: this.closing.signal,
      compiled: this.#compiled,
      converter: this.#converter,
      family: () => this.definition.spec.versions.map((one) => this.resource(one.name)),
    })
    this.#resources.set(name, made)
    return made
  }

  storageResource(): Resource | undefined {
    const version = this.definition.spec.versions.find(({ storage }) => storage)
    return version && this.resource(version.name)
  }

  /** Whether requests that began with this definition go on as they are with another one. */
  isServedAs({ spec, status }: CustomResourceDefinition): boolean {
    return deepEqual(spec, this.definition.spec) && deepEqual(status?.acceptedNames, this.definition.status?.acceptedNames)
  }

  close(): void {
    this.closing.abort()
  }
}
