import type { Schema } from "@pilothouse/api"
import type { LiveObject } from "./live-objects.ts"
import { isRecord, type JsonObject } from "./objects/object.ts"

/** What a patch is sent to: an object, or its status. */
export interface PatchTarget {
  readonly title: string
  readonly path: string
  readonly schema: Schema
  readonly object: JsonObject
  /** Draws a patch of the part that this endpoint takes. */
  draw(drawPart: (schema: Schema, live: JsonObject, path: string) => unknown): unknown
}

/** Kinds with much that may change. */
const kinds: readonly string[] = [
  "ConfigMap",
  "Secret",
  "ServiceAccount",
  "Node",
  "Namespace",
  "LimitRange",
  "Role",
  "ClusterRole",
  "RoleBinding",
  "ValidatingWebhookConfiguration",
  "Service",
  "EndpointSlice",
  "Ingress",
  "NetworkPolicy",
  "PersistentVolume",
  "Pod",
  "PodTemplate",
  "Deployment",
  "ReplicaSet",
  "StatefulSet",
  "DaemonSet",
  "ReplicationController",
  "CronJob",
  "HorizontalPodAutoscaler",
  "PodDisruptionBudget",
]
const statuses = ["Pod rich", "Node rich"]

export function patchTargets(live: readonly LiveObject[]): PatchTarget[] {
  const objects = live.filter(({ sent }) => kinds.includes(sent.kind))
  // More of those that have most strategies.
  const often = objects.filter(({ title }) =>
    ["Deployment rich", "PodTemplate rich", "Service rich", "ConfigMap rich", "Node rich"].includes(title),
  )
  const wholes = [...objects, ...often, ...often, ...often].map(wholeTarget)
  const parts = live.filter(({ title }) => statuses.includes(title)).map(statusTarget)
  return [...wholes, ...parts, ...parts, ...parts]
}

function wholeTarget({ title, path, schema, object }: LiveObject): PatchTarget {
  return { title, path, schema, object, draw: (drawPart) => drawPart(schema, object, "") }
}

function statusTarget({ title, path, schema, object }: LiveObject): PatchTarget {
  const status = isRecord(object.status) ? object.status : {}
  const part = schema.fields?.status?.schema ?? { type: "any" }
  return {
    title: `status of ${title}`,
    path: `${path}/status`,
    schema,
    object,
    draw: (drawPart) => under("status", drawPart(part, status, ".status")),
  }
}

/** A patch of a field's value as a patch of the object that has the field. */
function under(field: string, patch: unknown): unknown {
  if (!Array.isArray(patch)) return { [field]: patch }
  return patch.map((operation: JsonObject) => ({
    ...operation,
    path: `/${field}${operation.path}`,
    ...(operation.from === undefined ? {} : { from: `/${field}${operation.from}` }),
  }))
}
