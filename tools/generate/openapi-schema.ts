/** The part of an OpenAPI v3 schema that Kubernetes uses. */
export interface OpenApiSchema {
  readonly type?: string
  readonly format?: string
  readonly $ref?: string
  readonly allOf?: readonly { readonly $ref: string }[]
  readonly default?: unknown
  readonly enum?: readonly string[]
  readonly properties?: Readonly<Record<string, OpenApiSchema>>
  readonly required?: readonly string[]
  readonly items?: OpenApiSchema
  readonly additionalProperties?: OpenApiSchema
  readonly "x-kubernetes-group-version-kind"?: readonly GroupVersionKind[]
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map"
  readonly "x-kubernetes-list-map-keys"?: readonly string[]
  readonly "x-kubernetes-map-type"?: "atomic" | "granular"
  readonly "x-kubernetes-patch-strategy"?: string
  readonly "x-kubernetes-patch-merge-key"?: string
}

export interface GroupVersionKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}
