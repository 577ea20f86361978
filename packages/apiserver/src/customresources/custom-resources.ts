import { type Descriptor, deepEqual, resourceNameOf } from "@pilothouse/api"
import { type CustomResourceDefinition, customResourceDefinitions } from "@pilothouse/api/apiextensions/v1"
import type { Resource } from "../resources/resource.ts"
import type { Change, Storage } from "../storage/storage.ts"
import type { ConverterOf } from "./converter.ts"
import { type CompiledVersion, compileVersion } from "./custom-resource.ts"
import { isConditionTrue } from "./definition/conditions.ts"
import { ServedDefinition } from "./served-definition.ts"
import type { CustomResourceVersion } from "./served-version.ts"

const prefix = `/registry/${resourceNameOf(customResourceDefinitions)}/`

/**
 * The custom resources of a server. A definition is served from the write on that accepts its names; the resource of a version is made when it is
 * first asked for, so that an unused one costs nothing.
 */
export class CustomResources {
  readonly #definitions = new Map<string, ServedDefinition>()
  readonly #listeners = new Set<(name: string) => void>()
  readonly #watch: Disposable
  /** By version: a write of the status leaves the spec, and so what was compiled, as it is. */
  readonly #compiled = new WeakMap<CustomResourceVersion["version"], CompiledVersion>()
  /** What was decided about definitions, on its way to the storage. */
  readonly #reserved = new Set<CustomResourceDefinition>()
  readonly #converterOf: ConverterOf | undefined
  #generation = 0

  /** Without `converterOf` definitions with a conversion webhook are served as if they had none. */
  constructor(storage: Pick<Storage, "list" | "watch" | "revision">, converterOf?: ConverterOf) {
    this.#converterOf = converterOf
    for (const { value } of storage.list(prefix).items) this.#take(value as CustomResourceDefinition)
    this.#watch = storage.watch(prefix, storage.revision, (change) => this.#follow(change))
  }

  /** Goes up whenever what is served changes; 0 until then. */
  get generation(): number {
    return this.#generation
  }

  definition(name: string): CustomResourceDefinition | undefined {
    return this.#definitions.get(name)?.definition
  }

  definitions(): readonly CustomResourceDefinition[] {
    return [...this.#definitions.values()].map(({ definition }) => definition)
  }

  /** Returns the other definitions whose names no definition of the group can have; of one that is being written, both states. */
  othersOfGroup({ metadata, spec }: CustomResourceDefinition): readonly CustomResourceDefinition[] {
    const others: CustomResourceDefinition[] = []
    const add = (one: CustomResourceDefinition) => {
      if (one.spec.group === spec.group && one.metadata.name !== metadata.name) others.push(one)
    }
    for (const { definition } of this.#definitions.values()) add(definition)
    for (const reserved of this.#reserved) add(reserved)
    return others
  }

  /** Keeps the names that a definition is about to be given from others, until it is disposed: after the write, however that ended. */
  reserveNames(definition: CustomResourceDefinition): Disposable {
    this.#reserved.add(definition)
    return {
      [Symbol.dispose]: () => {
        this.#reserved.delete(definition)
        const stored = this.definition(definition.metadata.name ?? "")
        if (deepEqual(stored?.status?.acceptedNames, definition.status?.acceptedNames)) return
        // It was not written, and others may have been refused its names meanwhile.
        for (const { metadata } of this.othersOfGroup(definition)) this.#notify(metadata.name ?? "")
      },
    }
  }

  /** What discovery and OpenAPI describe: the served versions of definitions that are established. */
  versions(): readonly CustomResourceVersion[] {
    return [...this.#definitions.values()].flatMap(({ definition, versions }) =>
      isConditionTrue(definition, "Established") ? versions : [],
    )
  }

  resource(group: string, version: string, plural: string): Resource | undefined {
    const served = this.#definitions.get(`${plural}.${group}`)
    return served?.versions.some((one) => one.version.name === version) ? served.resource(version) : undefined
  }

  /** Returns the resources of every served version of a definition. */
  versionsOf({ group, plural }: Pick<Descriptor, "group" | "plural">): readonly Resource[] {
    const served = this.#definitions.get(`${plural}.${group}`)
    return served?.versions.map(({ version }) => served.resource(version.name)) ?? []
  }

  /** The resource that the objects of a definition are stored by, whether it is served or not. */
  storageResource(name: string): Resource | undefined {
    return this.#definitions.get(name)?.storageResource()
  }

  resources(): readonly Resource[] {
    return [...this.#definitions.values()].flatMap((served) => served.versions.map(({ version }) => served.resource(version.name)))
  }

  /** Calls with the name of each definition that is written or deleted, in the turn of the write, and of those that may be given their names now. */
  onChange(listener: (name: string) => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }

  [Symbol.dispose](): void {
    this.#watch[Symbol.dispose]()
  }

  #follow({ type, value }: Change): void {
    const definition = value as CustomResourceDefinition
    const name = definition.metadata.name ?? ""
    if (type === "delete") this.#drop(name)
    else this.#take(definition)
    this.#notify(name)
  }

  #notify(name: string): void {
    for (const listener of this.#listeners) listener(name)
  }

  #take(definition: CustomResourceDefinition): void {
    const name = definition.metadata.name ?? ""
    const before = this.#definitions.get(name)
    const same = before?.isServedAs(definition) === true
    if (!same) before?.close()
    const converter = definition.spec.conversion?.strategy === "Webhook" ? this.#converterOf?.(definition) : undefined
    const compile = (version: CustomResourceVersion["version"]) => this.#compile(version)
    const served = new ServedDefinition(definition, { closing: same ? before.closing : new AbortController(), compile, converter })
    this.#definitions.set(name, served)
    if (served.versions.length > 0 || (before?.versions.length ?? 0) > 0) this.#changed()
  }

  #drop(name: string): void {
    const served = this.#definitions.get(name)
    this.#definitions.delete(name)
    served?.close()
    if ((served?.versions.length ?? 0) > 0) this.#changed()
  }

  #compile(version: CustomResourceVersion["version"]): CompiledVersion {
    const compiled = this.#compiled.get(version) ?? compileVersion(version)
    this.#compiled.set(version, compiled)
    return compiled
  }

  #changed(): void {
    this.#generation++
  }
}
