import { type Descriptor, type KubeObject, type ResourceOptions, resource } from "@pilothouse/api"
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinition,
  CustomResourceSubresourceScale,
  JSONSchemaProps,
  SelectableField,
  ValidationRule,
} from "@pilothouse/api/apiextensions/v1"
import { PilothouseError } from "@pilothouse/seams"
import type { $ZodType, output } from "zod/v4/core"
import { structuralSchema } from "./structural-schema.ts"
import { jsonSchemaOf } from "./zod-schema.ts"

const readAndWrite = ["get", "patch", "update"]

type AnyKindOptions = KindOptions<$ZodType, $ZodType | undefined>

/**
 * Defines a custom kind by zod schemas: the types of its objects and the CustomResourceDefinition come from them. The kind goes wherever `pods` or
 * `deployments` do, and installs itself with `cluster({ crds: [kind] })` and `manager({ crds: [kind] })`. What a structural schema cannot hold is INVALID,
 * with the name of the field. Rules are compiled by the server that takes the definition, which refuses those that do not compile in cel-go's words.
 */
export function defineKind<Spec extends $ZodType, Status extends $ZodType | undefined = undefined>(
  options: KindOptions<Spec, Status>,
): Kind<ObjectWith<Spec, Status>> {
  const descriptor = resource<ObjectWith<Spec, Status>>(resourceOptions(options))
  return { ...descriptor, definition: definitionOf(descriptor, options) }
}

function resourceOptions({ group, version, kind, plural, shortNames = [], categories = [], ...rest }: AnyKindOptions): ResourceOptions {
  const status = rest.status === undefined ? [] : [{ name: "status", verbs: readAndWrite }]
  const scale = rest.scale === undefined ? [] : [{ name: "scale", kind: "autoscaling/v1/Scale", verbs: readAndWrite }]
  const named = { group, version, kind, ...(plural !== undefined && { plural }) }
  return { ...named, shortNames, categories, namespaced: rest.scope !== "Cluster", subresources: [...scale, ...status] }
}

function definitionOf(descriptor: Descriptor, options: AnyKindOptions): CustomResourceDefinition {
  const { group, version, kind, plural, singular, shortNames, categories } = descriptor
  const { scope = "Namespaced", printerColumns, scale, selectableFields } = options
  const subresources = { ...(options.status !== undefined && { status: {} }), ...(scale !== undefined && { scale }) }
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { kind, plural, singular, ...(shortNames.length > 0 && { shortNames }), ...(categories.length > 0 && { categories }) },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: objectSchema(options) },
          ...(Object.keys(subresources).length > 0 && { subresources }),
          ...(printerColumns !== undefined && { additionalPrinterColumns: printerColumns }),
          ...(selectableFields !== undefined && { selectableFields }),
        },
      ],
    },
  }
}

function objectSchema({ kind, description, spec, status, rules = [] }: AnyKindOptions): JSONSchemaProps {
  const isOptional = spec?._zod?.optin === "optional"
  const fields = { spec: partOf(kind, "spec", spec), ...(status !== undefined && { status: partOf(kind, "status", status) }) }
  return {
    type: "object",
    ...(description !== undefined && { description }),
    ...(!isOptional && { required: ["spec"] }),
    properties: fields,
    ...(rules.length > 0 && { "x-kubernetes-validations": rules }),
  }
}

function partOf(kind: string, part: "spec" | "status", schema: $ZodType): JSONSchemaProps {
  if (schema?._zod === undefined) {
    throw new PilothouseError(
      "INVALID",
      `expected a schema of zod 4 for the ${part} of ${kind}, found ${typeof schema}; write z.object({ … })`,
    )
  }
  const made = structuralSchema(jsonSchemaOf(schema), { kind, field: part })
  if (made.type === "object") return made
  throw new PilothouseError(
    "INVALID",
    `expected an object for the ${part} of ${kind}, found ${made.type ?? "any value"}; write z.object({ … })`,
  )
}

/** Objects from caches and servers are shared and frozen. */
export type DeepReadonly<T> = T extends (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Field in keyof T]: DeepReadonly<T[Field]> }
    : T

/** An object of a kind, as the server returns it: with its defaults. */
export interface CustomObject<Spec, Status = undefined> extends KubeObject {
  readonly spec: Spec
  readonly status?: Status
}

/** A custom kind: a descriptor, and the CustomResourceDefinition that a server needs to serve it. */
export interface Kind<T extends KubeObject> extends Descriptor<T> {
  readonly definition: CustomResourceDefinition
}

/** Arguments of defineKind. */
export interface KindOptions<Spec extends $ZodType, Status extends $ZodType | undefined = undefined> {
  /** "example.com" */
  readonly group: string
  /** "v1": the one version, which is served and stored. */
  readonly version: string
  /** "Website" */
  readonly kind: string
  /** "Namespaced" by default. */
  readonly scope?: "Namespaced" | "Cluster"
  /** The English plural of the kind by default: "websites". */
  readonly plural?: string
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  /** What `kubectl explain` says of the kind. */
  readonly description?: string
  /** A zod object: the fields of `spec`. */
  readonly spec: Spec
  /** A zod object: the fields of `status`, which has a subresource of its own. Without it there is none. */
  readonly status?: Status
  /**
   * Rules in the Common Expression Language; `self` is the whole object. Those of one field stand with it:
   * `z.string().meta({ "x-kubernetes-validations": [{ rule: "self == oldSelf" }] })`.
   */
  readonly rules?: readonly ValidationRule[]
  /** Columns of `kubectl get`. */
  readonly printerColumns?: readonly CustomResourceColumnDefinition[]
  /** Where `kubectl scale` and autoscalers read and write the number of replicas. */
  readonly scale?: CustomResourceSubresourceScale
  /** Fields for field selectors. */
  readonly selectableFields?: readonly SelectableField[]
}

/** The objects of a kind with these schemas. */
type ObjectWith<Spec extends $ZodType, Status extends $ZodType | undefined> = CustomObject<
  DeepReadonly<output<Spec>>,
  Status extends $ZodType ? DeepReadonly<output<Status>> : undefined
>
