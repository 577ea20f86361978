import type { Schema } from "@pilothouse/api"
import { emptySet, type FieldFilter, type FieldSet, isEmptySet, pathsOf, pathText, union } from "../fieldpath/index.ts"
import { applyConfig, ConflictError, type Managers, type Merge, runSteps, updateOwners } from "../merge/index.ts"

/** One write. `conflicts` are those that it is refused with: "manager path". */
export interface Write {
  readonly verb: "apply" | "update"
  readonly manager: string
  readonly object: unknown
  readonly version?: string
  readonly force?: boolean
  readonly conflicts?: readonly string[]
  /** From this write on. */
  readonly schema?: Schema
}

type WriteOptions = Omit<Write, "verb" | "manager" | "object">

export function apply(manager: string, object: unknown, options: WriteOptions = {}): Write {
  return { verb: "apply", manager, object, ...options }
}

export function update(manager: string, object: unknown, options: WriteOptions = {}): Write {
  return { verb: "update", manager, object, ...options }
}

export interface HistoryOptions {
  readonly schema: Schema
  readonly filter?: (apiVersion: string) => FieldFilter | undefined
  /** By version; one that is not there has the schema above. Undefined for a version that is gone. */
  readonly schemas?: Readonly<Record<string, Schema | undefined>>
  readonly convert?: (object: unknown, apiVersion: string) => unknown
}

/** What is there after all writes: managers as the texts of their paths, in order; those that were applied have a "+" before their name. */
export interface Outcome {
  readonly object: unknown
  readonly managers: Readonly<Record<string, readonly string[]>>
}

/** Writes one object, version "v1" by default, beginning with none. */
export class History {
  object: unknown = {}
  managers: Managers = new Map()
  #options: HistoryOptions

  constructor(options: HistoryOptions) {
    this.#options = options
  }

  write({ verb, manager, object, version = "v1", force = false, conflicts, schema }: Write): void {
    if (schema !== undefined) this.#options = { ...this.#options, schema }
    const write = { live: this.#convert(this.object, version), apiVersion: version, managers: this.managers, manager }
    if (verb === "update") {
      this.managers = this.#updated(manager, { ...write, next: object })
      this.object = object
      return
    }
    const found = conflictsOf(() => {
      const result = runSteps(applyConfig(this.#merge, { ...write, config: object, force }))
      this.managers = result.managers
      this.object = result.object === undefined ? write.live : result.object
    })
    if (JSON.stringify(found) !== JSON.stringify(conflicts ?? [])) throw new Error(`expected conflicts ${conflicts}, found ${found}`)
  }

  #updated(manager: string, { live, next, apiVersion }: { live: unknown; next: unknown; apiVersion: string }): Managers {
    const owners = Array.from(this.managers, ([name, { set, ...rest }]) => ({ name, ...rest, fieldsV1: set }))
    const withFields = (owner: (typeof owners)[number], fieldsV1: FieldSet) => ({ ...owner, fieldsV1 })
    const updated = runSteps(updateOwners(this.#merge, { live, next, apiVersion, owners, withFields }))
    const managers = new Map(updated.owners.map(({ name, fieldsV1, ...rest }) => [name, { ...rest, set: fieldsV1 }]))
    const set = union(managers.get(manager)?.set ?? emptySet, updated.changed)
    return isEmptySet(set) ? managers : managers.set(manager, { apiVersion, applied: false, set })
  }

  get outcome(): Outcome {
    return {
      object: this.object,
      managers: Object.fromEntries(
        Array.from(this.managers, ([name, { applied, set }]) => [applied ? `+${name}` : name, pathTexts(set)] as const).sort(),
      ),
    }
  }

  get #merge(): Merge {
    const { schema, schemas = {}, filter } = this.#options
    const convert = (object: unknown, version: string) => this.#convert(object, version)
    return { versions: { schemaOf: (version) => (version in schemas ? schemas[version] : schema), convert }, filter }
  }

  #convert(object: unknown, version: string): unknown {
    return this.#options.convert?.(object, version) ?? object
  }
}

/** The outcome of writes that begin with no object. */
export function afterWrites(options: HistoryOptions, writes: readonly Write[]): Outcome {
  const history = new History(options)
  for (const write of writes) history.write(write)
  return history.outcome
}

/** The members of a set as messages have them. */
export function pathTexts(set: FieldSet): readonly string[] {
  return pathsOf(set).map(pathText)
}

function conflictsOf(act: () => void): readonly string[] {
  try {
    act()
    return []
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error
    return error.conflicts.map(({ manager, path }) => `${manager} ${pathText(path)}`)
  }
}
