import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from "@pilothouse/api/apiextensions/v1"

/** A version with a schema that has some of everything. */
export function widgetVersion(name: string, more: Partial<CustomResourceDefinitionVersion> = {}): CustomResourceDefinitionVersion {
  return {
    name,
    served: true,
    storage: true,
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: {
          spec: {
            type: "object",
            required: ["size"],
            properties: {
              size: { type: "integer", minimum: 1 },
              color: { type: "string", default: "red", enum: ["red", "green"] },
              parts: {
                type: "array",
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["name"],
                items: { type: "object", required: ["name"], properties: { name: { type: "string" }, weight: { type: "integer" } } },
              },
            },
          },
          status: { type: "object", properties: { phase: { type: "string" } } },
        },
      },
    },
    subresources: { status: {} },
    ...more,
  }
}

/** A definition of Widgets, namespaced, in the group example.com. */
export function widgets(...versions: readonly CustomResourceDefinitionVersion[]): CustomResourceDefinition {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget", shortNames: ["wd"] },
      versions: versions.length === 0 ? [widgetVersion("v1")] : versions,
    },
  }
}

/** A Widget that its schema allows. */
export function widget(name: string, spec: object = { size: 3 }): { readonly metadata: { readonly name: string } } {
  return { apiVersion: "example.com/v1", kind: "Widget", metadata: { name }, spec } as { readonly metadata: { readonly name: string } }
}
