import type { Field, PatchStrategy, Schema } from "../../schema/schema.ts"

const text: Schema = { type: "string" }
const number: Schema = { type: "integer" }

function object(name: string, fields: Readonly<Record<string, Schema | Field>>): Schema {
  return { type: "object", name, fields: Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, fieldOf(value)])) }
}

function fieldOf(value: Schema | Field): Field {
  return "schema" in value ? value : { schema: value }
}

function list(items: Schema): Schema {
  return { type: "list", items }
}

function merged(items: Schema, patchMergeKey?: string, ...more: PatchStrategy[]): Field {
  return { schema: list(items), patchStrategy: [...more, "merge"], patchMergeKey }
}

const container = object("Container", {
  name: text,
  image: text,
  command: list(text),
  env: merged(
    object("EnvVar", { name: text, value: text, valueFrom: object("EnvVarSource", { fieldRef: object("FieldRef", { path: text }) }) }),
    "name",
  ),
  ports: merged(object("ContainerPort", { containerPort: number, protocol: text }), "containerPort"),
})

const volume = object("Volume", {
  name: text,
  emptyDir: object("EmptyDir", { medium: text }),
  configMap: object("ConfigMapSource", { name: text, items: list(object("KeyToPath", { key: text, path: text })) }),
})

/** A pod as far as patches can tell: every strategy there is, nested two deep, and a few things no pod has (rollout, extra, opaque). */
export const podSchema: Schema = object("Pod", {
  kind: text,
  metadata: object("ObjectMeta", {
    name: text,
    labels: { type: "map", items: text },
    finalizers: merged(text),
    ownerReferences: merged(object("OwnerReference", { uid: text, name: text }), "uid"),
  }),
  spec: object("PodSpec", {
    replicas: number,
    containers: merged(container, "name"),
    volumes: merged(volume, "name", "retainKeys"),
    tolerations: list(object("Toleration", { key: text, operator: text })),
    nodeSelector: { type: "map", items: text },
    rollout: {
      schema: object("Rollout", { type: text, partition: number, limits: object("Limits", { max: number, min: number }) }),
      patchStrategy: ["retainKeys"],
    },
    affinity: { schema: object("Affinity", { zone: text, host: text }), patchStrategy: ["replace"] },
    extra: { type: "map", items: list(text) },
    opaque: { type: "any" },
  }),
})
