import { apiVersionOf, type Descriptor, isNotFound, type Schema } from "@pilothouse/api"
import {
  type RuleWithOperations,
  type ValidatingAdmissionPolicy,
  validatingAdmissionPolicies,
} from "@pilothouse/api/admissionregistration/v1"
import { descriptorFor, descriptorForResource } from "@pilothouse/api/descriptors"
import { schemaOf } from "@pilothouse/api/schemas"
import type { JsonSchema } from "@pilothouse/cel/kubernetes"
import type { Reader } from "@pilothouse/runtime"

/** How deep a schema is followed: those that contain themselves have no end. */
const maxDepth = 24

/** As many as upstream checks of each rule. */
const maxKinds = 10

/** A kind that a policy matches. */
export interface CheckedKind {
  readonly kind: Pick<Descriptor, "group" | "version" | "kind">
  readonly schema: JsonSchema
}

export interface Observed {
  readonly policy: ValidatingAdmissionPolicy
  /** By group, version and name; empty where the policy was checked before. */
  readonly kinds: readonly CheckedKind[]
  /** Of the params; "unknown" where their kind has no schema, undefined without a paramKind. */
  readonly params: JsonSchema | "unknown" | undefined
}

/** Reports whether the status is of an older generation. */
export function isDue({ metadata, status }: ValidatingAdmissionPolicy): boolean {
  return Number(metadata.generation ?? 0) > Number(status?.observedGeneration ?? 0)
}

/** Reads the schemas of the kinds that a policy names without wildcards, and of its params. */
export async function observe(key: string, read: Reader): Promise<Observed | undefined> {
  const policy = read.get(validatingAdmissionPolicies, key)
  if (policy === undefined) return undefined
  if (!isDue(policy)) return { policy, kinds: [], params: undefined }
  const kinds: CheckedKind[] = []
  for (const kind of await kindsOf(policy.spec?.matchConstraints?.resourceRules ?? [], read)) {
    const schema = await schemaOfKind(kind, read)
    if (schema !== undefined) kinds.push({ kind, schema })
  }
  return { policy, kinds, params: await paramsSchema(policy, read) }
}

async function paramsSchema({ spec }: ValidatingAdmissionPolicy, read: Reader): Promise<Observed["params"]> {
  const { apiVersion = "", kind = "" } = spec?.paramKind ?? {}
  if (kind === "") return undefined
  const [version = "", group = ""] = apiVersion.split("/").reverse()
  return (await schemaOfKind(descriptorFor({ group, version, kind }) ?? { group, version, kind }, read)) ?? "unknown"
}

async function kindsOf(rules: readonly RuleWithOperations[], read: Reader): Promise<readonly Descriptor[]> {
  const found = new Map<string, Descriptor>()
  for (const rule of rules) {
    let count = 0
    for (const [group, version, resource] of combinations(rule)) {
      const kind = await kindOf(group, version, resource, read)
      if (kind === undefined) continue
      found.set(`${apiVersionOf(kind)} ${kind.kind}`, kind)
      if (++count === maxKinds) return sorted(found)
    }
  }
  return sorted(found)
}

/** Each group with each version and resource, in order; none where one is a wildcard. Subresources are left out. */
function* combinations({
  apiGroups = [],
  apiVersions = [],
  resources = [],
}: RuleWithOperations): Generator<readonly [string, string, string]> {
  if ([...apiGroups, ...apiVersions].some((one) => one.includes("*"))) return
  const named = resources.filter((one) => !one.includes("*") && !one.includes("/"))
  for (const group of apiGroups.toSorted()) {
    for (const version of apiVersions.toSorted()) {
      for (const resource of named.toSorted()) yield [group, version, resource]
    }
  }
}

async function kindOf(group: string, version: string, resource: string, read: Reader): Promise<Descriptor | undefined> {
  const builtIn = descriptorForResource({ group, version, plural: resource })
  if (builtIn !== undefined) return builtIn
  const { resources } = await read.discovered()
  return resources.find((one) => one.group === group && one.version === version && one.plural === resource)
}

function sorted(kinds: ReadonlyMap<string, Descriptor>): readonly Descriptor[] {
  const words = ({ group, version, kind }: Descriptor) => [group, version, kind]
  return [...kinds.values()].sort((one, other) => {
    const [a, b] = [words(one), words(other)]
    const at = a.findIndex((word, index) => word !== b[index])
    return at === -1 ? 0 : a[at]! < b[at]! ? -1 : 1
  })
}

type Kind = Pick<Descriptor, "group" | "version" | "kind">

/**
 * Returns the schema of a kind: a built-in one from the table, any other from the OpenAPI document of its group version; undefined where there is
 * none.
 */
async function schemaOfKind(kind: Kind, read: Reader): Promise<JsonSchema | undefined> {
  const builtIn = schemaOf(kind)
  return builtIn === undefined ? publishedSchema(kind, read) : jsonSchemaOf(builtIn, 0)
}

/** As upstream's OpenAPI definitions have it. A quantity has no type there, so expressions cannot read it. */
function jsonSchemaOf(schema: Schema, depth: number): JsonSchema {
  if (depth > maxDepth) return {}
  const { type, format, items, fields = {} } = schema
  if (format === "int-or-string") return { "x-kubernetes-int-or-string": true }
  if (format === "quantity") return {}
  switch (type) {
    case "object":
      return {
        type,
        properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, jsonSchemaOf(field.schema, depth + 1)])),
        required: Object.keys(fields).filter((name) => fields[name]?.required === true),
      }
    case "map":
      return { type: "object", additionalProperties: items === undefined ? true : jsonSchemaOf(items, depth + 1) }
    case "list":
      return { type: "array", items: items === undefined ? {} : jsonSchemaOf(items, depth + 1) }
    case "any":
      // Opaque values with a name are objects: RawExtension, FieldsV1.
      return schema.name === undefined ? {} : { type: "object" }
    default:
      return { type, ...(format !== undefined && { format: format === "micro-time" ? "date-time" : format }) }
  }
}

type Published = Omit<JsonSchema, "properties" | "items" | "additionalProperties" | "allOf"> & {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, Published>>
  readonly items?: Published
  readonly additionalProperties?: Published | boolean
  readonly allOf?: readonly Published[]
  readonly "x-kubernetes-group-version-kind"?: readonly Kind[]
}

type Components = Readonly<Record<string, Published>>

async function publishedSchema({ group, version, kind }: Kind, read: Reader): Promise<JsonSchema | undefined> {
  const document = await documentOf(`/openapi/v3/${group === "" ? `api/${version}` : `apis/${group}/${version}`}`, read)
  const components = (document as { readonly components?: { readonly schemas?: Components } } | undefined)?.components?.schemas ?? {}
  const isKind = (one: Kind) => one.group === group && one.version === version && one.kind === kind
  const found = Object.values(components).find((schema) => schema["x-kubernetes-group-version-kind"]?.some(isKind) === true)
  return found && resolved(found, components, 0)
}

async function documentOf(path: string, read: Reader): Promise<unknown> {
  try {
    return await read.ask({ path })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** With what its references say in their place. */
function resolved(schema: Published, components: Components, depth: number): JsonSchema {
  if (depth > maxDepth) return {}
  const { $ref, properties, items, additionalProperties, allOf = [], ...rest } = schema
  const referenced = $ref ?? (allOf.length === 1 ? allOf[0]?.$ref : undefined)
  if (referenced !== undefined) return resolved(components[referenced.slice(referenced.lastIndexOf("/") + 1)] ?? {}, components, depth + 1)
  const follow = (one: Published) => resolved(one, components, depth + 1)
  return {
    ...rest,
    ...(properties && { properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, follow(one)])) }),
    ...(items && { items: follow(items) }),
    ...(additionalProperties !== undefined && {
      additionalProperties: typeof additionalProperties === "object" ? follow(additionalProperties) : additionalProperties,
    }),
  }
}
