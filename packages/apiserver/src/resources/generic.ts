import {
  addInt64,
  apiVersionOf,
  checkDns1123Subdomain,
  type Descriptor,
  deepEqual,
  type FieldError,
  type KubeObject,
  resourceNameOf,
  type Schema,
} from "@pilothouse/api"
import { type GoForm, goFormOf } from "@pilothouse/api/protobuf"
import { lazy } from "@pilothouse/seams"
import type { Draft } from "../body/draft.ts"
import { goNulls } from "../body/go-nulls.ts"
import { eachItem, fieldsBelow, type MadeOf, walkSchema } from "../body/schema-walk.ts"
import { type VariantPath, variantPathsOf } from "../body/variant-forms.ts"
import { validateObjectMeta, validateObjectMetaUpdate } from "../validation/object-meta.ts"
import type { Resource, ResourceStrategy, StrategyContext } from "./resource.ts"
import { schemaDefaults } from "./schema-defaults.ts"
import { effectWarning, withoutEffectOf } from "./without-effect.ts"

/** A resource of a description and of its strategy. Its schema is read, and walked for each purpose, when that is first needed. */
export function defineResource<T extends KubeObject>(
  descriptor: Descriptor<T>,
  readSchema: () => Schema | undefined,
  strategy: ResourceStrategy<T>,
): Resource<T> {
  const same = (object: KubeObject) => object as T
  const schema = lazy(readSchema)
  const ofSchema = <Fill>(make: (found: Schema) => Fill) =>
    lazy(() => {
      const found = schema()
      return found && make(found)
    })
  const [defaults, zeros, nulls] = [ofSchema(schemaDefaults), ofSchema(goZeros), ofSchema(goNulls)]
  return {
    descriptor,
    apiVersion: apiVersionOf(descriptor),
    listKind: `${descriptor.kind}List`,
    strategicMerge: true,
    load: strategy.load,
    deprecations: deprecationOf(descriptor),
    get schema() {
      return schema()
    },
    fillDefaults: (object) => defaults()?.(object),
    fillZeros: (object) => zeros()?.(object),
    withNulls: (object) => nulls()?.({ ...object }) ?? object,
    strategy,
    withoutEffect: strategy.hasEffect === true ? undefined : withoutEffectOf(descriptor),
    names: strategy.names ?? checkDns1123Subdomain,
    hasStatus: descriptor.subresources.some((subresource) => subresource.name === "status"),
    unconditionalUpdate: strategy.unconditionalUpdate ?? true,
    createOnUpdate: strategy.createOnUpdate ?? false,
    stored: strategy.storedAs ?? { prefix: `/registry/${resourceNameOf(descriptor)}/`, encode: same, decode: same },
  }
}

interface Parts {
  spec?: unknown
  status?: unknown
}

export function applyDefaults(resource: Resource, draft: Draft<KubeObject>): void {
  resource.fillDefaults(draft)
  resource.strategy.defaults?.(draft)
}

export function prepareForCreate(resource: Resource, draft: Draft<KubeObject> & Parts, context: StrategyContext): void {
  const { strategy, hasStatus } = resource
  if (hasStatus && strategy.keepsStatusOnCreate !== true) delete draft.status
  if ((strategy.generation ?? "none") !== "none") draft.metadata.generation = 1
  strategy.prepareForCreate?.(draft, context)
  resource.fillZeros(draft)
}

/** Adds what the writer of a valid object should know; `old` is what an update changes. */
export function warn(resource: Resource, warnings: Set<string>, object: KubeObject, old?: KubeObject): void {
  for (const text of resource.strategy.warnings?.(object, old) ?? []) warnings.add(text)
  const text = resource.withoutEffect && effectWarning(resource.withoutEffect, object, old)
  if (text !== undefined) warnings.add(text)
}

function metaRules({ descriptor, names, strategy }: Resource) {
  return { namespaced: descriptor.namespaced, names, plainFinalizers: strategy.plainFinalizers }
}

export function validateNew(resource: Resource, object: KubeObject): readonly FieldError[] {
  const rules = metaRules(resource)
  return [...validateObjectMeta(object.metadata, rules), ...(resource.strategy.validate?.(object) ?? [])]
}

/** What the validation of an update may need beside the objects. */
export interface UpdateFacts {
  /** Milliseconds. */
  readonly now: number
  /** What the request made of the object, before anything was left out or added. */
  readonly given?: unknown
}

/** What one endpoint of an object lets a request change, and how that is checked. */
export interface UpdateKind {
  prepare(resource: Resource, draft: Draft<KubeObject>, old: KubeObject, context: StrategyContext): void
  validate(resource: Resource, object: KubeObject, old: KubeObject, about: UpdateFacts): readonly FieldError[]
  /** Of what was found valid. */
  warn?(resource: Resource, warnings: Set<string>, object: KubeObject, old: KubeObject): void
}

/** The object itself: everything but the status. */
export const mainUpdate: UpdateKind = {
  prepare(resource, draft: Draft<KubeObject> & Parts, old: KubeObject & Parts, context) {
    const { strategy, hasStatus } = resource
    if (hasStatus) keep(draft, old, "status")
    strategy.prepareForUpdate?.(draft, old, context)
    resource.fillZeros(draft)
    // Nothing changes it from here on, and what is the same object is neither compared nor kept twice.
    if (strategy.reserve === undefined && deepEqual(draft.spec, old.spec)) keep(draft, old, "spec")
    if (changesGeneration(strategy, draft as KubeObject, old)) draft.metadata.generation = addInt64(old.metadata.generation ?? 0, 1)
  },
  validate(resource, object, old, { given }) {
    const { validate, validateUpdate } = resource.strategy
    return [...metaErrors(resource, object, old), ...(validate?.(object, old) ?? []), ...(validateUpdate?.(object, old, given) ?? [])]
  },
  warn,
}

/** The status, and with it the metadata, as far as the kind does not keep it. */
export const statusUpdate: UpdateKind = {
  prepare(resource, draft, old, context) {
    const { strategy } = resource
    for (const key of new Set([...Object.keys(draft), ...Object.keys(old)])) {
      if (key !== "metadata" && key !== "status") keep(draft, old, key)
    }
    for (const key of keptMetadata[strategy.statusKeeps ?? "nothing"]) keep(draft.metadata, old.metadata, key)
    strategy.prepareForStatusUpdate?.(draft, old, context)
    resource.fillZeros(draft)
  },
  validate(resource, object, old, { now }) {
    return [...metaErrors(resource, object, old), ...(resource.strategy.validateStatusUpdate?.(object, old, now) ?? [])]
  },
}

/** Whether the body of a write is the whole object: the status of a kind that updates create is created with all of it. */
export function isWhole(kind: UpdateKind): boolean {
  return kind === mainUpdate || kind === statusUpdate
}

const keptMetadata = {
  nothing: [],
  labels: ["labels"],
  metadata: ["labels", "annotations", "finalizers", "ownerReferences"],
} as const

/** Puts the old value of a field back. */
export function keep(draft: object, old: object, key: string): void {
  const value = (old as Readonly<Record<string, unknown>>)[key]
  if (value === undefined) delete (draft as Record<string, unknown>)[key]
  else (draft as Record<string, unknown>)[key] = value
}

function metaErrors(resource: Resource, object: KubeObject, old: KubeObject): readonly FieldError[] {
  const rules = metaRules(resource)
  // A name that was good once stays good.
  const errors = validateObjectMeta(object.metadata, rules).filter(
    ({ field }) => field !== "metadata.name" && field !== "metadata.generateName",
  )
  return [...errors, ...validateObjectMetaUpdate(object.metadata, old.metadata)]
}

function changesGeneration(strategy: ResourceStrategy, object: KubeObject & Parts, old: KubeObject & Parts): boolean {
  const rule = strategy.generation ?? "none"
  if (rule === "none") return false
  const changed = rule === "spec" ? !deepEqual(object.spec, old.spec) : rule(object, old)
  return changed || hasVariantForm(object, strategy.generationInMemory)
}

/** Whether the body had one below a field, and defaulting put nothing in its place. */
function hasVariantForm(object: KubeObject, field: string | undefined): boolean {
  return field !== undefined && variantPathsOf(object).some((path) => path[0] === field && valueAt(object, path) === undefined)
}

function valueAt(object: unknown, path: VariantPath): unknown {
  return path.reduce<unknown>((value, step) => (value as Readonly<Record<string | number, unknown>> | null | undefined)?.[step], object)
}

type Fill = (value: unknown) => void

/**
 * Writes what Go always writes into an object that the server has added parts to: bodies that come in have it already. Made once for each kind;
 * the walk visits only the parts below which there is something that is always written.
 */
function goZeros(schema: Schema): Fill {
  return (
    walkSchema<Fill>(schema, (part, fillOf) => (part.type === "object" ? objectFill(part, fillOf) : eachItem(part, fillOf))) ?? (() => {})
  )
}

function objectFill(schema: Schema, fillOf: MadeOf<Fill>): Fill | undefined {
  const { always } = goFormOf(schema)
  const below = fieldsBelow(schema, fillOf)
  if (always.length === 0 && below.length === 0) return undefined
  return (value) => {
    // Parts of the old object are as they were stored.
    if (!Object.isFrozen(value)) fillObject(value as Record<string, unknown>, always, below)
  }
}

function fillObject(value: Record<string, unknown>, always: GoForm["always"], below: readonly (readonly [string, Fill])[]): void {
  for (const { name, zero } of always) value[name] ??= zero()
  for (const [key, fill] of below) if (value[key] !== undefined && value[key] !== null) fill(value[key])
}

/** Deprecated kinds: every answer about them carries a warning. */
const deprecated: Readonly<Record<string, string>> = {
  componentstatuses: "v1 ComponentStatus is deprecated in v1.19+",
  endpoints: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
}

function deprecationOf({ group, plural }: Pick<Descriptor, "group" | "plural">): readonly string[] {
  const text = group === "" && Object.hasOwn(deprecated, plural) ? deprecated[plural] : undefined
  return text === undefined ? [] : [text]
}
