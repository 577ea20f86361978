import type { Descriptor, KubeObject } from "@pilothouse/api"
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinition,
  CustomResourceSubresourceScale,
  SelectableField,
  ValidationRule,
} from "@pilothouse/api/apiextensions/v1"
import type { $ZodType, output } from "zod/v4/core"

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
export type ObjectWith<Spec extends $ZodType, Status extends $ZodType | undefined> = CustomObject<
  DeepReadonly<output<Spec>>,
  Status extends $ZodType ? DeepReadonly<output<Status>> : undefined
>
